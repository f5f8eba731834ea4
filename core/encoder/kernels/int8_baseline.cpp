// int8 for every processor.
#include "core/encoder/kernels/narrow_kernels.h"

#if defined(__SSE2__)  // every x86-64 has it
#include <emmintrin.h>
#endif

namespace contrastive::encoder::kernels {
namespace {

#include "core/encoder/kernels/vectors_baseline.inl"
#include "core/encoder/kernels/row_parts.inl"
#include "core/encoder/kernels/vector_math.inl"

constexpr int kNarrowRows = 4;
constexpr bool kUnsignedTokens = false;

// The bytes of a group: those at even places and those at odd ones, two numbers of 16 bits for each
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
// The products of two numbers for each token, added up.
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
// To the nearest whole number, ties to even: adding 1.5 * 2^23 leaves it in the low bits.
inline Ints rounded(Vec x) {
  constexpr float kMagic = 12582912.0f;
  const Vec shifted = x + kMagic;
  Ints bits;
  __builtin_memcpy(&bits, &shifted, sizeof(bits));
  return bits - 0x4b400000;
}

#include "core/encoder/kernels/narrow_int8.inl"
#include "core/encoder/kernels/narrow_linear.inl"

}  // namespace

const NarrowKernels kInt8Baseline{"baseline",  kFormat, &kBaseline,
                                  kNarrowRows, narrow,  narrow_linear};

}  // namespace contrastive::encoder::kernels
