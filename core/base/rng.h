// Counter-based random numbers (Philox 4x32-10, Salmon et al., SC 2011). A value depends only on
// (seed, purpose, epoch, example, position). So augmentation, shuffling, masking, dropout and
// initialisation are the same for every thread count, batch split, language and device, and after a
// resume. There is no global generator and no hidden state: an Rng is a value that is made where it
// is used.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace contrastive {

// One stream for each use. The values are not stored in any file, but changing one changes every
// seeded run: append only.
enum class Purpose : uint32_t {
  kShuffle = 1,
  kInitialise = 2,
  kViewOne = 3,
  kViewTwo = 4,
  kMlmMask = 5,
  kLayerSampler = 6,
  kDropout = 7,
  kSubset = 8,
  kAdapterDropout = 9,
  kMining = 10,
  kMatryoshka = 11,
  kBootstrap = 12,
  kSplit = 13,
  kTasks = 14,
  kDeletion = 15,
};

class Rng {
 public:
  Rng(uint64_t seed, Purpose purpose, uint64_t epoch = 0, uint64_t example = 0)
      : key_(mix(seed ^ (static_cast<uint64_t>(purpose) << 32) ^
                 mix(epoch + 0x9e3779b97f4a7c15ULL))),
        example_(example) {}

  uint32_t next32() {
    if (used_ == 4) {
      block_ = philox(position_++);
      used_ = 0;
    }
    return block_[used_++];
  }
  uint64_t next64() {
    const uint64_t high = next32();
    return (high << 32) | next32();
  }
  // Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next64() >> 11) * 0x1.0p-53; }
  // Uniform in {0, ..., n-1} without bias (Lemire's method); n > 0.
  uint64_t below(uint64_t n) {
    unsigned __int128 product = static_cast<unsigned __int128>(next64()) * n;
    if (static_cast<uint64_t>(product) < n) {
      const uint64_t threshold = (0 - n) % n;
      while (static_cast<uint64_t>(product) < threshold)
        product = static_cast<unsigned __int128>(next64()) * n;
    }
    return static_cast<uint64_t>(product >> 64);
  }
  // Standard normal (Box-Muller). Discards the second value, so that every call makes the same
  // number of draws.
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }
  // A key derived from seed, purpose and epoch. Together with the example it determines the stream.
  // For code that computes many draws at once.
  uint64_t key() const { return key_; }
  template <class Sequence>
  void shuffle(Sequence& items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  static uint64_t mix(uint64_t x) {  // splitmix64's finaliser
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }

  std::array<uint32_t, 4> philox(uint64_t position) const {
    std::array<uint32_t, 4> c{static_cast<uint32_t>(position),
                              static_cast<uint32_t>(position >> 32),
                              static_cast<uint32_t>(example_),
                              static_cast<uint32_t>(example_ >> 32)};
    uint32_t k0 = static_cast<uint32_t>(key_), k1 = static_cast<uint32_t>(key_ >> 32);
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
      const uint64_t p0 = uint64_t{0xD2511F53u} * c[0], p1 = uint64_t{0xCD9E8D57u} * c[2];
      c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
           static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p0)};
    }
    return c;
  }

  uint64_t key_, example_;
  uint64_t position_ = 0;
  std::array<uint32_t, 4> block_{};
  unsigned used_ = 4;
};

}  // namespace contrastive
