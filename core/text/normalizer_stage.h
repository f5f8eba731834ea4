// A stage of a normalizer that does more than steps on single characters: composition, replacement,
// SentencePiece's character map. normalizer_chain.h runs the stages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/normalizer.h"

namespace contrastive::text {

class NormalizerStage {
 public:
  virtual ~NormalizerStage() = default;

  // Replaces `out` by the result of the stage for `in`. Returns false, and leaves `out` unchanged,
  // if the result is `in` itself. With `aligned`, the positions in `in` and `out` refer to the
  // original text, which begins at byte `shift`.
  virtual bool apply(const NormalizedText& in, int64_t shift, bool aligned,
                     NormalizedText& out) const = 0;
};

// A character of a stage's result. `change` counts as in Hugging Face: 0 replaces the next
// character of the source, 1 is inserted after the previous one, and -n replaces the next character
// and the n characters after it.
struct CharacterChange {
  char32_t c;
  int32_t change;
};

// Sets `out` to the result of applying `changes` to `in`. The first `removed` characters of `in`
// are not in the result.
void apply_changes(const NormalizedText& in, const std::vector<CharacterChange>& changes,
                   size_t removed, int64_t shift, bool aligned, NormalizedText& out);

// Appends in.bytes[begin, end) with its positions to `out`.
void append_text(const NormalizedText& in, size_t begin, size_t end, NormalizedText& out);

inline void clear_text(NormalizedText& out) {
  out.storage.clear();
  out.begins.clear();
  out.ends.clear();
  out.bytes = {};
}

}  // namespace contrastive::text
