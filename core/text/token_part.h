// One token of a piece of text: the output of models, and what the cache of pieces stores.
#pragma once

#include <cstddef>
#include <cstdint>

namespace contrastive::text {

// The tokens of a piece are consecutive. A token of length 0 has the same position as the one
// before it: the bytes of a character that the vocabulary lacks come from the whole character.
struct TokenPart {
  int32_t id;
  uint32_t length;  // in bytes of the piece
};

struct TokenParts {
  const TokenPart* data;
  size_t size;
};

}  // namespace contrastive::text
