// A trie over the bytes of many tokens. It finds all tokens that are prefixes of a text, the
// shortest first, without looking at any others.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/cancel.h"

namespace contrastive::text {

class TokenTrie {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};
  using Keys = std::vector<std::pair<std::string_view, int32_t>>;

  TokenTrie() : TokenTrie(Keys()) {}
  // If a token occurs twice, the first one counts. Empty tokens are ignored. The bytes are not
  // needed afterwards.
  explicit TokenTrie(Keys keys, const Cancel* cancel = nullptr);

  // The child of the root, or of `node`, for `byte`; kNone if no token continues with it.
  uint32_t first(char byte) const { return first_[static_cast<unsigned char>(byte)]; }
  uint32_t step(uint32_t node, char byte) const {
    const Node& from = nodes_[node];
    const auto label = static_cast<unsigned char>(byte);
    uint32_t low = from.children, high = from.children + from.count;
    while (high - low > 8) {
      const uint32_t middle = low + (high - low) / 2;
      (nodes_[middle].label <= label ? low : high) = middle;
    }
    for (; low < high; ++low) {
      if (nodes_[low].label == label) return low;
    }
    return kNone;
  }
  int32_t id(uint32_t node) const { return nodes_[node].id; }  // -1 if no token ends here

  // Calls `found(length, id)` for every token that is a prefix of text[at..], the shortest first.
  template <class Found>
  void prefixes(std::string_view text, size_t at, const Found& found) const {
    uint32_t node = at < text.size() ? first(text[at]) : kNone;
    for (size_t end = at + 1; node != kNone; ++end) {
      if (const int32_t token = id(node); token >= 0) found(end - at, token);
      if (end == text.size()) return;
      node = step(node, text[end]);
    }
  }

 private:
  struct Node {
    uint32_t children =
        0;  // the first child; the children are consecutive, in the order of their labels
    int32_t id = -1;
    uint16_t count = 0;
    uint8_t label = 0;
  };

  std::vector<Node> nodes_;
  std::array<uint32_t, 256> first_{};
};

}  // namespace contrastive::text
