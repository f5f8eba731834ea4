// The Unicode normalisation forms besides NFD, with the tables of Hugging Face's crate for Unicode
// 9: compatibility decomposition, and composition.
#pragma once

#include <cstddef>
#include <cstdint>

namespace contrastive::text {

constexpr size_t kLongestDecomposition = 18;

// Writes the full compatibility decomposition to `out` (room for kLongestDecomposition) and returns
// its length; 1 for a character that does not decompose.
size_t decompose_compatibly(char32_t c, char32_t* out);
// The primary composite of two characters; 0 if they do not compose.
char32_t compose(char32_t first, char32_t second);

// The properties of a character that composition checks first.
struct CompositionClass {
  uint8_t combining;
  bool settled_nfc,
      settled_nfkc;  // unchanged whatever is before it, if marks are in order
};
CompositionClass composition_class(char32_t c);

}  // namespace contrastive::text
