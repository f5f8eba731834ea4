// A character during the steps of normalizer.h.
#pragma once

#include <cstdint>
#include <vector>

#include "core/text/normalizer.h"

namespace contrastive::text {

// `change` follows Hugging Face's alignment rules: 0 for a character that replaces the next
// character of the source, 1 for one that is inserted after it.
struct NormalizerItem {
  char32_t c;
  uint8_t combining;
  uint8_t change;
  int64_t begin, end;  // the range of its source character
};

// Appends the result of `step` for `item`, without the reordering of kDecompose.
void apply_step(NormalizerStep step, const NormalizerItem& item, std::vector<NormalizerItem>& out);

}  // namespace contrastive::text
