// The common base of all tokenizers, which runs the steps of tokenizer.h: repair of the UTF-8,
// added tokens, normalisation, and the model's split and search; then truncation and special
// tokens. Derived classes add the way from normalised text to ids.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/text/added_tokens.h"
#include "core/text/normalizer.h"
#include "core/text/normalizer_chain.h"
#include "core/text/post_processor.h"
#include "core/text/token_sequence.h"
#include "core/text/tokenizer.h"
#include "core/text/vocabulary.h"

namespace contrastive::text {

// Whether trimming of offsets treats a character as white space, including the printable character
// for the space.
bool is_trimmed(char32_t c);

// A longer text is tokenised in parts of at most this many bytes, each like a separate text, so
// that memory does not grow with the text. contrastive.h states this limit.
constexpr size_t kLongestPart = size_t{1} << 20;

// The parts of every tokenizer besides its model. `source` names the file in error messages.
struct TokenizerParts {
  std::shared_ptr<const Vocabulary> vocabulary;
  std::vector<NormalizerStep> normalizer;
  NormalizerChain::Stages stages;        // instead of `normalizer`, if not empty
  std::vector<AddedToken> added_tokens;  // with resolved ids, which may be beyond the vocabulary
  PostProcessor post_processor;
  bool passes_types =
      true;  // false: an encoder gets type 0 for every token, whatever the template says
  SpecialIds special_ids;
  int64_t model_max_length = 0;
  bool truncates_left = false;         // truncation cuts the beginning of a text, not its end
  bool splits_special_tokens = false;  // a special token in a text is ordinary text
  InvalidUtf8 invalid_utf8 = InvalidUtf8::kReplace;
  std::string source;
};

class PipelineTokenizer : public Tokenizer {
 public:
  // Throws kFormat if a template, a special token or an added token has an id that the vocabulary
  // lacks.
  PipelineTokenizer(TokenizerParts parts, std::string kind);

  void append(std::string_view text, int64_t max_length, TokenBatch& batch) const override;
  void append_pair(std::string_view a, std::string_view b, int64_t max_length,
                   TokenBatch& batch) const override;
  Encoding encode(std::string_view text, int64_t max_length) const override;
  Encoding encode_pair(std::string_view a, std::string_view b, int64_t max_length) const override;

  int64_t vocab_size() const override { return vocab_size_; }
  std::string token(int32_t id) const override;
  int32_t id(std::string_view token) const override;
  const SpecialIds& special_ids() const override { return parts_.special_ids; }
  bool is_special(int32_t id) const override;
  int64_t model_max_length() const override { return parts_.model_max_length; }
  const std::string& kind() const override { return kind_; }
  InvalidUtf8 invalid_utf8() const override { return parts_.invalid_utf8; }

 protected:
  // Appends the tokens of text.bytes[begin, end), a part without added tokens.
  virtual void tokenize(const NormalizedText& text, size_t begin, size_t end,
                        TokenSequence& out) const = 0;
  // Whether tokenize() needs the positions of the text's bytes even if out.aligned is false.
  virtual bool needs_places() const { return false; }

  const TokenizerParts& parts() const { return parts_; }

 private:
  struct Scratch;
  // The name of a text in error messages: "text 3" is the fourth of its batch.
  struct Name {
    const char* what;
    int64_t place;
  };

  void tokenize_text(std::string_view text, const Name& name, Scratch& scratch,
                     TokenSequence& out) const;
  // `text` is a part that begins at byte `shift` of its text.
  void tokenize_part(std::string_view text, int64_t shift, const Name& name, Scratch& scratch,
                     TokenSequence& out) const;
  void tokenize_valid(std::string_view text, int64_t shift, Scratch& scratch,
                      TokenSequence& out) const;
  // `matched`: the text of the token, from byte `first` to `last`, including the white space that
  // belongs to it.
  void add_token(const AddedToken& token, std::string_view matched, int64_t first, int64_t last,
                 TokenSequence& out) const;
  void add_normalized(const AddedToken& token, const NormalizedText& text, size_t begin, size_t end,
                      TokenSequence& out) const;
  // White space at the beginning of a token, and how many bytes of the text it comes from.
  struct SpaceCount {
    int64_t characters = 0, bytes = 0;
  };
  static SpaceCount count_leading_space(std::string_view text);
  void add_trimmed(const AddedToken& token, const SpaceCount& leading, int64_t trailing_bytes,
                   int64_t first, int64_t last, TokenSequence& out) const;
  // The number of ids that max_length leaves for the texts; the largest possible number if
  // max_length is 0.
  int64_t room(int64_t max_length, bool is_pair) const;
  // Fill scratch.first (and .second) and truncate them. The result is the length without
  // truncation, special tokens included.
  int64_t prepare(std::string_view text, int64_t place, int64_t max_length, Scratch& scratch) const;
  int64_t prepare_pair(std::string_view a, std::string_view b, int64_t place, int64_t max_length,
                       Scratch& scratch) const;
  void append_parts(const std::vector<TemplatePart>& parts, int64_t full_length,
                    const Scratch& scratch, TokenBatch& batch) const;
  Encoding join_parts(const std::vector<TemplatePart>& parts, int64_t full_length,
                      const Scratch& scratch) const;

  TokenizerParts parts_;
  std::string kind_;
  int64_t vocab_size_ = 0;
  NormalizerChain normalizer_;
  AddedTokenFinder in_given_,
      in_normalized_;  // the added tokens that are found before and after normalisation
  std::unordered_map<std::string_view, int32_t> added_ids_;  // by content, which points into parts_
  std::unordered_map<int32_t, const AddedToken*> added_tokens_;  // by id
  std::unordered_set<int32_t> special_;
};

}  // namespace contrastive::text
