// Dropout masks: draws of core/base/rng.h's Philox stream, kLanes blocks of four at a time,
// compared with a threshold. Included after UInts, wide_multiply() and at_least().

// Moves each of the 16 low bits of x to four times its position.
inline uint64_t spread(uint64_t x) {
  x = (x | (x << 24)) & 0x000000FF000000FFULL;
  x = (x | (x << 12)) & 0x000F000F000F000FULL;
  x = (x | (x << 6)) & 0x0303030303030303ULL;
  return (x | (x << 3)) & 0x1111111111111111ULL;
}

// Bits of the 4 * kLanes draws of the blocks from `block` on.
inline uint64_t draw_bits(uint64_t key, uint64_t example, uint32_t threshold, uint64_t block) {
  UInts c0, c1;
  for (int i = 0; i < kLanes; ++i) {
    c0[i] = static_cast<uint32_t>(block + static_cast<uint64_t>(i));
    c1[i] = static_cast<uint32_t>((block + static_cast<uint64_t>(i)) >> 32);
  }
  UInts c2 = UInts{} + static_cast<uint32_t>(example),
        c3 = UInts{} + static_cast<uint32_t>(example >> 32);
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    UInts high0, low0, high1, low1;
    wide_multiply(c0, 0xD2511F53u, high0, low0);
    wide_multiply(c2, 0xCD9E8D57u, high1, low1);
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
  }
  return spread(at_least(c0, threshold)) | (spread(at_least(c1, threshold)) << 1) |
         (spread(at_least(c2, threshold)) << 2) | (spread(at_least(c3, threshold)) << 3);
}

void draw_mask(uint64_t key, uint64_t example, uint32_t threshold, int64_t count, uint64_t* bits) {
  constexpr int kDraws = 4 * kLanes;  // 16, 32 or 64: a word is a whole number of them
  uint64_t block = 0;
  for (int64_t word = 0; 64 * word < count; ++word) {
    uint64_t all = 0;
    for (int from = 0; from < 64 && 64 * word + from < count; from += kDraws, block += kLanes) {
      all |= draw_bits(key, example, threshold, block) << from;
    }
    bits[word] = all;
  }
}
