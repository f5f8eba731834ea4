// Kernels for every processor of the architecture.
#include "core/cpu/features.h"
#include "core/cpu/kernels.h"

#if defined(__SSE2__)  // every x86-64 has it
#include <emmintrin.h>
#endif

namespace contrastive::cpu {
namespace {

constexpr const char* kName = kBaseline.name;

#include "core/cpu/vectors_baseline.inl"

// The 64-bit products of the lanes with m, in halves.
inline void wide_multiply(UInts x, uint32_t m, UInts& high, UInts& low) {
  for (int i = 0; i < kLanes; ++i) {
    const uint64_t product = uint64_t{x[i]} * m;
    high[i] = static_cast<uint32_t>(product >> 32);
    low[i] = static_cast<uint32_t>(product);
  }
}
// Bit i: lane i >= threshold.
inline uint64_t at_least(UInts x, uint32_t threshold) {
  uint64_t bits = 0;
  for (int i = 0; i < kLanes; ++i) bits |= uint64_t{x[i] >= threshold} << i;
  return bits;
}

#include "core/cpu/float_kernels.inl"

constexpr int kNarrowRows = 4;
constexpr bool kUnsignedTokens = false;

// The bytes of a group, split into those at even and at odd positions: two 16-bit numbers for each
// token.
using Shorts = int16_t __attribute__((vector_size(2 * kLanes * sizeof(int16_t))));
struct Group {
  Shorts even, odd;
};
inline Group even_and_odd(Shorts bytes) { return {(bytes << 8) >> 8, bytes >> 8}; }
inline Group group_of(const uint8_t* x) {
  Shorts bytes;
  __builtin_memcpy(&bytes, x, sizeof(bytes));
  return even_and_odd(bytes);
}
// Adds up the products of two numbers for each token.
inline Ints pair_products(Shorts a, Shorts b) {
#if defined(__SSE2__)
  return reinterpret_cast<Ints>(
      _mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  Ints sums;
  for (int i = 0; i < kLanes; ++i) sums[i] = a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
  return sums;
#endif
}
inline Ints dot(Ints sums, const Group& x, int32_t weight) {
  Shorts bytes;
  const Ints all = Ints{} + weight;
  __builtin_memcpy(&bytes, &all, sizeof(bytes));
  const Group w = even_and_odd(bytes);
  return sums + pair_products(x.even, w.even) + pair_products(x.odd, w.odd);
}
// Rounds to the nearest integer, ties to even: adding 1.5 * 2^23 leaves it in the low bits.
inline Ints rounded(Vec x) {
  constexpr float kMagic = 12582912.0f;
  const Vec shifted = x + kMagic;
  Ints bits;
  __builtin_memcpy(&bits, &shifted, sizeof(bits));
  return bits - 0x4b400000;
}

#include "core/cpu/narrow_int8.inl"
#include "core/cpu/narrow_linear.inl"

constexpr NarrowKernels kInt8{kName, kFormat, &kEncode, kNarrowRows, narrow, narrow_linear};

}  // namespace

extern const Kernels kBaselineKernels{&kEncode, &kInt8, nullptr, &kTraining, &kUpdate, &kScores};

}  // namespace contrastive::cpu
