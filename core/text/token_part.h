// One token of a piece of text: what models give and what is remembered of pieces met before.
#pragma once

#include <cstddef>
#include <cstdint>

namespace contrastive::text {

// The tokens of a piece stand one behind the other. One of length 0 shares the place of the token
// before it: the bytes of a character that the vocabulary lacks come from the whole character.
struct TokenPart {
  int32_t id;
  uint32_t length;  // bytes of the piece
};

struct TokenParts {
  const TokenPart* data;
  size_t size;
};

}  // namespace contrastive::text
