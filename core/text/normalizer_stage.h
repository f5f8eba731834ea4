// One stage of a normalizer that is more than steps on single characters: composition, replacement,
// the map of SentencePiece. Stages follow one another in normalizer_chain.h.
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

  // Replaces `out` by what the stage makes of `in`; false when that is `in` itself, and `out` is
  // then left as it is. With `aligned` the places of `in` are those of what was given at first, in
  // which the text stands at byte `shift`, and so are those of `out`.
  virtual bool apply(const NormalizedText& in, int64_t shift, bool aligned,
                     NormalizedText& out) const = 0;
  // Whether a text may be cut between any two ASCII letters or digits, and each part normalised for
  // itself.
  virtual bool keeps_words() const = 0;
};

// A character of a stage's result, as Hugging Face counts changes: 0 takes the place of the next
// character of the source, 1 is added behind the one before, and -n takes the place of the next
// character and of the n behind it.
struct CharacterChange {
  char32_t c;
  int32_t change;
};

// `out` as the result of `changes` to `in`, of which the first `removed` characters have no place
// in it.
void apply_changes(const NormalizedText& in, const std::vector<CharacterChange>& changes,
                   size_t removed, int64_t shift, bool aligned, NormalizedText& out);

// in.bytes[begin, end) with its places, behind what `out` has.
void append_text(const NormalizedText& in, size_t begin, size_t end, NormalizedText& out);

inline void clear_text(NormalizedText& out) {
  out.storage.clear();
  out.begins.clear();
  out.ends.clear();
  out.bytes = {};
}

}  // namespace contrastive::text
