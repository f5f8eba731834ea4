// The Unicode normalisation forms beyond NFD, as Hugging Face's crate of Unicode 9 sees them:
// compatibility decomposition, and composition.
#pragma once

#include <cstddef>
#include <cstdint>

namespace contrastive::text {

constexpr size_t kLongestDecomposition = 18;

// Full compatibility decomposition into `out` (room for kLongestDecomposition); returns its length,
// 1 for what does not decompose.
size_t decompose_compatibly(char32_t c, char32_t* out);
// The primary composite of two characters; 0 where there is none.
char32_t compose(char32_t first, char32_t second);

// What composition has to know of a character before it does anything.
struct CompositionClass {
  uint8_t combining;
  bool settled_nfc,
      settled_nfkc;  // stays as it is whatever stands before it, where marks are in order
};
CompositionClass composition_class(char32_t c);

}  // namespace contrastive::text
