// Pre-tokenizers that can be combined in any order. Each splits the pieces of the previous one, and
// some change the text.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/text/normalizer.h"
#include "core/text/pattern.h"

namespace contrastive::text {

// The pieces of a part of a text, none of them empty, and the text that they are in.
struct PieceList {
  const NormalizedText* text = nullptr;
  std::vector<Span> pieces;
  std::vector<Span> spare;                // for the running splitter
  std::vector<Span> matches;              // likewise
  std::array<NormalizedText, 2> changed;  // what `text` points to after a change

  // An empty text for the result of a splitter.
  NormalizedText& fresh();
};

// What happens to the matches of a splitter, with the names of tokenizer.json.
enum class SplitBehavior { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };

// Takes the matches of a piece and the text between them in order, and makes pieces.
class BehaviorSplit {
 public:
  BehaviorSplit(SplitBehavior behavior, std::vector<Span>& out) : behavior_(behavior), out_(out) {}

  void add(size_t begin, size_t end, bool is_match);
  void finish();  // ends the piece

 private:
  void push(size_t begin, size_t end);

  SplitBehavior behavior_;
  std::vector<Span>& out_;
  Span last_{0, 0};  // may still grow
  bool has_last_ = false, last_match_ = false;
};

class Splitter {
 public:
  virtual ~Splitter() = default;
  virtual void split(PieceList& list) const = 0;
  virtual bool needs_places() const {
    return false;
  }  // whether it needs the bytes' positions even if the tokens' are not requested
};

// The characters of a class are matches.
class ClassSplitter : public Splitter {
 public:
  using Is = bool (*)(char32_t c);
  ClassSplitter(Is is, SplitBehavior behavior);
  void split(PieceList& list) const override;

 private:
  Is is_;
  std::array<bool, 128> ascii_{};
  SplitBehavior behavior_;
};

std::shared_ptr<const Splitter> whitespace_split();             // WhitespaceSplit
std::shared_ptr<const Splitter> digits_split(bool individual);  // Digits
std::shared_ptr<const Splitter> punctuation_split(SplitBehavior behavior);

// Whitespace: \w+ or [^\w\s]+.
class WordSplitter : public Splitter {
 public:
  void split(PieceList& list) const override;
};

// BertPreTokenizer.
class BertSplitter : public Splitter {
 public:
  void split(PieceList& list) const override;
};

// Split. `invert`: the text between the matches of the pattern is the match.
class PatternSplitter : public Splitter {
 public:
  PatternSplitter(std::shared_ptr<const Pattern> pattern, SplitBehavior behavior, bool invert)
      : pattern_(std::move(pattern)), behavior_(behavior), invert_(invert) {}
  void split(PieceList& list) const override;

 private:
  std::shared_ptr<const Pattern> pattern_;
  SplitBehavior behavior_;
  bool invert_;
};

// Metaspace: replaces spaces by a character, puts one in front, and begins every piece with one.
class MetaspaceSplitter : public Splitter {
 public:
  enum class Prepend { kAlways, kFirst, kNever };
  MetaspaceSplitter(std::string replacement, Prepend prepend, bool split);
  void split(PieceList& list) const override;
  bool needs_places() const override { return prepend_ == Prepend::kFirst; }

 private:
  std::string replacement_;
  Prepend prepend_;
  bool split_;
};

// UnicodeScripts: one piece for each run of a script. A space belongs to the run around it or
// before it, and to no run if none is before it.
class ScriptSplitter : public Splitter {
 public:
  void split(PieceList& list) const override;
};

// FixedLength: pieces with a fixed number of characters, and the rest.
class LengthSplitter : public Splitter {
 public:
  explicit LengthSplitter(int64_t length) : length_(length) {}
  void split(PieceList& list) const override;

 private:
  int64_t length_;  // at least 1
};

// ByteLevel: replaces each byte by its printable character (byte_bpe.h).
class ByteLevelSplitter : public Splitter {
 public:
  ByteLevelSplitter(bool add_prefix_space, bool use_regex)
      : add_prefix_space_(add_prefix_space), use_regex_(use_regex) {}
  void split(PieceList& list) const override;

 private:
  bool add_prefix_space_, use_regex_;
};

}  // namespace contrastive::text
