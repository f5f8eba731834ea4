// A hash map from token bytes to ids, made for the greedy search of WordPiece: one pass over a word
// gives the hashes of all its prefixes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace contrastive::text {

class TokenMap {
 public:
  // The hash of a string is mix of `step` over its bytes, beginning with kSeed.
  static constexpr uint32_t kSeed = 2166136261u;
  static uint32_t step(uint32_t hash, char byte) {
    return (hash ^ static_cast<unsigned char>(byte)) * 16777619u;
  }  // FNV-1a
  static uint32_t hash(std::string_view token) {
    uint32_t h = kSeed;
    for (const char byte : token) h = step(h, byte);
    return h;
  }

  // The table does not grow: insert at most `expected` tokens.
  explicit TokenMap(size_t expected);

  // Returns false, and changes nothing, if the token is already there. Does not copy the bytes:
  // they must outlive the map.
  bool insert(std::string_view token, int32_t id);

  int32_t find(std::string_view token) const { return find(token, hash(token)); }
  // -1 if the token is not there.
  int32_t find(std::string_view token, uint32_t hash) const {
    for (size_t at = slot(hash);; at = (at + 1) & mask_) {
      const Slot& entry = slots_[at];
      if (entry.id < 0) return -1;
      if (entry.hash == hash && entry.token == token) return entry.id;
    }
  }
  size_t longest() const { return longest_; }  // bytes of the longest token

 private:
  struct Slot {
    std::string_view token;
    uint32_t hash = 0;
    int32_t id = -1;
  };
  // FNV's low bits are weak for short strings.
  size_t slot(uint32_t hash) const { return (hash ^ (hash >> 15)) & mask_; }

  std::vector<Slot> slots_;
  size_t mask_ = 0;
  size_t longest_ = 0;
};

}  // namespace contrastive::text
