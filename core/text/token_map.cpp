#include "core/text/token_map.h"

#include <algorithm>

namespace contrastive::text {

TokenMap::TokenMap(size_t expected) {
  size_t size = 16;
  while (size < expected * 2) size *= 2;  // at most half full, so that searches are short
  slots_.resize(size);
  mask_ = size - 1;
}

bool TokenMap::insert(std::string_view token, int32_t id) {
  const uint32_t h = hash(token);
  size_t at = slot(h);
  for (; slots_[at].id >= 0; at = (at + 1) & mask_) {
    if (slots_[at].hash == h && slots_[at].token == token) return false;
  }
  slots_[at] = {token, h, id};
  longest_ = std::max(longest_, token.size());
  return true;
}

}  // namespace contrastive::text
