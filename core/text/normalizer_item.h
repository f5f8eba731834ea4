// A character on its way through the steps of normalizer.h.
#pragma once

#include <cstdint>
#include <vector>

#include "core/text/normalizer.h"

namespace contrastive::text {

// `change` as in Hugging Face's alignment rules: 0 for the character that takes the place of the
// next one of the source, 1 for one that is added behind it.
struct NormalizerItem {
  char32_t c;
  uint8_t combining;
  uint8_t change;
  int64_t begin, end;  // the character that it came from
};

// Appends what `step` makes of `item`, without the reordering that belongs to kDecompose.
void apply_step(NormalizerStep step, const NormalizerItem& item, std::vector<NormalizerItem>& out);

}  // namespace contrastive::text
