// int8 for processors with AVX2 alone.
#include "core/encoder/kernels/narrow_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

// From here on this file is compiled for the processor named; nothing of a system header may
// follow, or its inline functions would be, too.
#pragma GCC push_options
#pragma GCC target("avx2,fma")

namespace contrastive::encoder::kernels {
namespace {

#include "core/encoder/kernels/vectors_avx2.inl"
#include "core/encoder/kernels/row_parts.inl"
#include "core/encoder/kernels/vector_math.inl"

constexpr int kNarrowRows = 4;
constexpr bool kUnsignedTokens = false;

// vpmaddubsw multiplies unsigned bytes with signed ones and adds pairs in 16 bits, where it
// saturates above 32767. Given magnitudes of the tokens, and weights that have taken the tokens'
// signs, a pair is at most 2 * 128 * 127 = 32512: exact.
struct Group {
  __m256i bytes, magnitudes;
};
inline Group group_of(const uint8_t* x) {
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(x));
  return {bytes, _mm256_abs_epi8(bytes)};
}
inline Ints dot(Ints sums, const Group& x, int32_t weight) {
  const __m256i pairs =
      _mm256_maddubs_epi16(x.magnitudes, _mm256_sign_epi8(_mm256_set1_epi32(weight), x.bytes));
  return sums + reinterpret_cast<Ints>(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}
inline Ints rounded(Vec x) { return reinterpret_cast<Ints>(_mm256_cvtps_epi32(x)); }

#include "core/encoder/kernels/narrow_int8.inl"
#include "core/encoder/kernels/narrow_linear.inl"

}  // namespace

const NarrowKernels kInt8Avx2{"avx2", kFormat, &kAvx2, kNarrowRows, narrow, narrow_linear};

}  // namespace contrastive::encoder::kernels

#pragma GCC pop_options
#endif
