// Text normalisation, step by step for single characters: BERT's four steps, and similar steps that
// tokenizer.json may name. The result can record which source bytes each of its bytes comes from.
// normalizer_stage.h has the other kinds of steps.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/lazy_pages.h"

namespace contrastive::text {

// Each step maps one character to none, one or several. Decompositions also put marks into
// canonical order.
enum class NormalizerStep {
  kClean,                // removes control characters, replaces every white space by one ' '
  kSpaceCjk,             // a space on both sides of CJK ideographs
  kDecompose,            // NFD
  kDecomposeCompatibly,  // NFKD
  kDropAccents,          // removes category Mn (BERT's set)
  kDropMarks,            // removes category M (the StripAccents normaliser's set)
  kLowerCase,            // without context: no final sigma
  kNmt,  // removes control characters; tabs, line ends and invisible characters become a space
};

// The steps of BertNormalizer, with Hugging Face's option names.
std::vector<NormalizerStep> bert_steps(bool clean_text, bool handle_chinese_chars,
                                       bool strip_accents, bool lowercase);

// A piece of normalised text. `begins[i]`, `ends[i]`: the source character of byte i, as a byte
// range of the original text plus the given `shift`. Both are empty if no alignment was requested.
// The bytes are valid UTF-8. Reuse the object from text to text to avoid allocations.
struct NormalizedText {
  std::string_view bytes;
  std::vector<int64_t> begins, ends;
  std::string storage;  // `bytes` points into it, unless nothing had to change
};

// Sets `out` to `text` itself, aligned if requested: the result of normalisation without steps.
void take_as_given(std::string_view text, int64_t shift, bool aligned, NormalizedText& out);

class Normalizer {
 public:
  explicit Normalizer(std::vector<NormalizerStep> steps);

  // `text` must be valid UTF-8 and must outlive `out.bytes`.
  void normalize(std::string_view text, int64_t shift, bool aligned, NormalizedText& out) const;

  bool empty() const { return steps_.empty(); }

 private:
  // The result of all steps for one character, in UTF-8.
  struct Mapping {
    char bytes[14];
    uint8_t length;
    bool in_order;  // false: the position of a mark depends on its neighbours, or the result is too
                    // long; apply_steps must be used
  };

  Mapping compute(char32_t c) const;
  bool map_each(std::string_view text, int64_t shift, bool aligned, NormalizedText& out) const;
  void apply_steps(std::string_view text, int64_t shift, bool aligned, NormalizedText& out) const;

  std::vector<NormalizerStep> steps_;
  LazyPages<Mapping> pages_;
  std::array<char, 128> ascii_{};          // the result for an ASCII character
  std::array<uint8_t, 128> ascii_keep_{};  // 0 if it is dropped, otherwise 1
};

}  // namespace contrastive::text
