// A fast hash of a stream of bytes, to detect changed data. It is not cryptographic, because
// an attacker gains nothing by forging the hash of a training file.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace contrastive::data {

// The value depends on the bytes and their order, not on how they were split into pieces.
class ContentHash {
 public:
  void update(std::string_view bytes) {
    length_ += bytes.size();
    while (!bytes.empty()) {
      if (held_ == 0 && bytes.size() >= 8) {
        uint64_t word = 0;
        std::memcpy(&word, bytes.data(), 8);
        absorb(word);
        bytes.remove_prefix(8);
      } else {
        pending_ |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[0])) << (8 * held_);
        bytes.remove_prefix(1);
        if (++held_ == 8) {
          absorb(pending_);
          pending_ = 0;
          held_ = 0;
        }
      }
    }
  }
  uint64_t value() const {
    ContentHash last = *this;
    if (last.held_ > 0) last.absorb(last.pending_);
    last.absorb(last.length_);
    return last.state_ ^ (last.state_ >> 29);
  }
  uint64_t length() const { return length_; }

 private:
  void absorb(uint64_t word) {  // two rounds of multiply and fold, as in wyhash
    const unsigned __int128 product =
        static_cast<unsigned __int128>(state_ ^ word) * 0xa0761d6478bd642fULL;
    state_ = (static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64)) +
             0xe7037ed1a0b428dbULL + word;
  }

  uint64_t state_ = 0x8ebc6af09c88c6e3ULL;
  uint64_t pending_ = 0;
  unsigned held_ = 0;
  uint64_t length_ = 0;
};

inline std::string hash_text(uint64_t value) {
  static const char digits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (int i = 15; i >= 0; --i, value >>= 4) text[static_cast<size_t>(i)] = digits[value & 15];
  return text;
}

}  // namespace contrastive::data
