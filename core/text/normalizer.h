// Text normalisation before the split into words, step by step and character by character: BERT's
// four steps, and the single steps of the kind that tokenizer.json may name. The result keeps, if
// asked, where each of its bytes came from. Steps of other kinds are normalizer_stage.h's.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/lazy_pages.h"

namespace contrastive::text {

// Each step maps one character to none, one or several; decompositions also put marks into
// canonical order.
enum class NormalizerStep {
  kClean,                // control characters away, every white space to one ' '
  kSpaceCjk,             // a space on both sides of CJK ideographs
  kDecompose,            // NFD
  kDecomposeCompatibly,  // NFKD
  kDropAccents,          // category Mn away (BERT's set)
  kDropMarks,            // category M away (the StripAccents normaliser's set)
  kLowerCase,            // without context: no final sigma
  kNmt,  // control characters away; tabs, line ends and invisible characters to a space
};
inline bool is_decomposition(NormalizerStep step) {
  return step == NormalizerStep::kDecompose || step == NormalizerStep::kDecomposeCompatibly;
}

// BertNormalizer as Hugging Face's option names say it.
std::vector<NormalizerStep> bert_steps(bool clean_text, bool handle_chinese_chars,
                                       bool strip_accents, bool lowercase);

// A piece of normalised text. `begins[i]`, `ends[i]`: the character that byte i came from, as a
// byte range of the text that was normalised, plus the `shift` given; both are empty when no
// alignment was asked for. The bytes are valid UTF-8. Reused from text to text to spare
// allocations.
struct NormalizedText {
  std::string_view bytes;
  std::vector<int64_t> begins, ends;
  std::string storage;  // what `bytes` points into, unless nothing had to change
};

// `out` as `text` itself, aligned if asked: what normalisation by no step gives.
void take_as_given(std::string_view text, int64_t shift, bool aligned, NormalizedText& out);

class Normalizer {
 public:
  explicit Normalizer(std::vector<NormalizerStep> steps);

  // `text` must be valid UTF-8 and live as long as `out.bytes` is used.
  void normalize(std::string_view text, int64_t shift, bool aligned, NormalizedText& out) const;

  // What a character does to the runs that decomposition puts in order: what normalizer_stream.h
  // asks before it cuts a text.
  struct Order {
    bool starts;  // nothing of it moves before what stands on its left
    bool opens;   // it ends with a mark, which what follows may move before
    bool closes;  // it ends with what no mark passes
  };
  Order order(char32_t c) const;
  const std::vector<NormalizerStep>& steps() const { return steps_; }
  int64_t decompositions() const {
    return decomposes_;
  }  // how many of the steps put marks in order

 private:
  // What all steps together make of one character, in UTF-8.
  struct Mapping {
    char bytes[14];
    uint8_t length;
    bool starts, opens, closes;  // as in Order
    bool in_order;  // false: a mark remains whose place depends on its neighbours, or the result is
                    // too long; apply_steps must be used
  };

  Mapping compute(char32_t c) const;
  bool map_each(std::string_view text, int64_t shift, bool aligned, NormalizedText& out) const;
  void apply_steps(std::string_view text, int64_t shift, bool aligned, NormalizedText& out) const;

  std::vector<NormalizerStep> steps_;
  int64_t decomposes_;
  LazyPages<Mapping> pages_;
  std::array<char, 128> ascii_{};          // what an ASCII character becomes
  std::array<uint8_t, 128> ascii_keep_{};  // 0 where it is dropped, else 1
};

}  // namespace contrastive::text
