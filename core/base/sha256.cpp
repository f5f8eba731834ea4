#include "core/base/sha256.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/cpu/features.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define CONTRASTIVE_SHA_INSTRUCTIONS
#elif defined(__aarch64__) && !defined(__clang__)  // Clang needs them for the whole file
#include <arm_neon.h>
#define CONTRASTIVE_SHA_INSTRUCTIONS
#endif

namespace contrastive {
namespace {

constexpr uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t rotate(uint32_t x, int n) { return x >> n | x << (32 - n); }

void compress_portable(std::array<uint32_t, 8>& state, const unsigned char* data, size_t blocks) {
  for (; blocks > 0; --blocks, data += 64) {
    uint32_t w[64];
    for (int i = 0; i < 16; ++i) {
      w[i] = uint32_t{data[4 * i]} << 24 | uint32_t{data[4 * i + 1]} << 16 |
             uint32_t{data[4 * i + 2]} << 8 | data[4 * i + 3];
    }
    for (int i = 16; i < 64; ++i) {
      const uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
      const uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (int i = 0; i < 64; ++i) {
      const uint32_t t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                          ((e & f) ^ (~e & g)) + kRound[i] + w[i];
      const uint32_t t2 =
          (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    const uint32_t sum[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; ++i) state[i] += sum[i];
  }
}

#if defined(__x86_64__)
// Uses the processor's SHA instructions, about seven times as fast. Their registers hold the state
// as (a, b, e, f) and (c, d, g, h).
__attribute__((target("sha,sse4.1,ssse3"))) void compress_by_processor(
    std::array<uint32_t, 8>& state, const unsigned char* data, size_t blocks) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  __m128i abef = _mm_set_epi32(static_cast<int>(state[0]), static_cast<int>(state[1]),
                               static_cast<int>(state[4]), static_cast<int>(state[5]));
  __m128i cdgh = _mm_set_epi32(static_cast<int>(state[2]), static_cast<int>(state[3]),
                               static_cast<int>(state[6]), static_cast<int>(state[7]));
  for (; blocks > 0; --blocks, data += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];
    for (int i = 0; i < 16; ++i) {
      if (i < 4) {
        w[i] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(data + 16 * i)),
                                big_endian);
      } else {
        const __m128i shifted = _mm_alignr_epi8(w[(i + 3) & 3], w[(i + 2) & 3], 4);  // w[-7]
        w[i & 3] = _mm_sha256msg2_epu32(
            _mm_add_epi32(_mm_sha256msg1_epu32(w[i & 3], w[(i + 1) & 3]), shifted), w[(i + 3) & 3]);
      }
      __m128i sum =
          _mm_add_epi32(w[i & 3],
                        _mm_loadu_si128(reinterpret_cast<const __m128i*>(kRound + 4 * i)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      sum = _mm_shuffle_epi32(sum, 0x0e);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, sum);
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  alignas(16) uint32_t low[4], high[4];
  _mm_store_si128(reinterpret_cast<__m128i*>(low), abef);
  _mm_store_si128(reinterpret_cast<__m128i*>(high), cdgh);
  state = {low[3], low[2], high[3], high[2], low[1], low[0], high[1], high[0]};
}

constexpr const cpu::InstructionSet& kShaInstructions = cpu::kSha;
#elif defined(CONTRASTIVE_SHA_INSTRUCTIONS)
__attribute__((target("+crypto"))) void compress_by_processor(std::array<uint32_t, 8>& state,
                                                              const unsigned char* data,
                                                              size_t blocks) {
  uint32x4_t abcd = vld1q_u32(state.data()), efgh = vld1q_u32(state.data() + 4);
  for (; blocks > 0; --blocks, data += 64) {
    const uint32x4_t abcd_before = abcd, efgh_before = efgh;
    uint32x4_t w[4];
    for (int i = 0; i < 16; ++i) {
      if (i < 4) w[i] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(data + 16 * i)));
      else
        w[i & 3] = vsha256su1q_u32(vsha256su0q_u32(w[i & 3], w[(i + 1) & 3]), w[(i + 2) & 3],
                                   w[(i + 3) & 3]);
      const uint32x4_t sum = vaddq_u32(w[i & 3], vld1q_u32(kRound + 4 * i)), abcd_now = abcd;
      abcd = vsha256hq_u32(abcd, efgh, sum);
      efgh = vsha256h2q_u32(efgh, abcd_now, sum);
    }
    abcd = vaddq_u32(abcd, abcd_before);
    efgh = vaddq_u32(efgh, efgh_before);
  }
  vst1q_u32(state.data(), abcd);
  vst1q_u32(state.data() + 4, efgh);
}

constexpr const cpu::InstructionSet& kShaInstructions = cpu::kArmSha2;
#endif

void compress(std::array<uint32_t, 8>& state, const unsigned char* data, size_t blocks,
              bool portable) {
#if defined(CONTRASTIVE_SHA_INSTRUCTIONS)
  static const bool fast = cpu::features().contains(kShaInstructions.needs);
  if (fast && !portable) return compress_by_processor(state, data, blocks);
#else
  (void)portable;
#endif
  compress_portable(state, data, blocks);
}

}  // namespace

void Sha256::update(std::string_view bytes) {
  const unsigned char* data = reinterpret_cast<const unsigned char*>(bytes.data());
  size_t left = bytes.size();
  const size_t used = bytes_ % 64;
  bytes_ += left;
  if (used > 0) {
    const size_t taken = std::min(left, 64 - used);
    std::memcpy(block_.data() + used, data, taken);
    data += taken;
    left -= taken;
    if (used + taken < 64) return;
    compress(state_, block_.data(), 1, portable_);
  }
  compress(state_, data, left / 64, portable_);
  if (left % 64 > 0) std::memcpy(block_.data(), data + left / 64 * 64, left % 64);
}

std::string Sha256::hex() {
  const uint64_t bits = bytes_ * 8;
  update(std::string_view("\x80", 1));
  while (bytes_ % 64 != 56) update(std::string_view("\0", 1));
  std::string length(8, '\0');
  for (int i = 0; i < 8; ++i) length[i] = static_cast<char>(bits >> (56 - 8 * i) & 0xff);
  update(length);
  std::string text;
  for (const uint32_t word : state_) {
    for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[word >> shift & 0xf];
  }
  return text;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

std::string sha256_of_file(const std::string& path, int64_t max_bytes) {
  const Descriptor file = open_file(path, FileUse::kRead, max_bytes);
  const int64_t bytes = file_size(file, path);
  Sha256 hash;
  std::vector<char> piece(size_t{1} << 20);
  for (int64_t done = 0; done < bytes;) {
    const int64_t wanted = std::min(bytes - done, static_cast<int64_t>(piece.size()));
    check(read_up_to(file.get(), piece.data(), wanted, done, path) == wanted, Status::kCorrupt,
          path, ": became shorter while it was read");
    hash.update({piece.data(), static_cast<size_t>(wanted)});
    done += wanted;
  }
  return hash.hex();
}

}  // namespace contrastive
