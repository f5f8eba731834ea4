// int8 for processors with AVX-VNNI: the same instruction as AVX-512's on half the width.
#include "core/encoder/kernels/narrow_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

// From here on this file is compiled for the processor named; nothing of a system header may
// follow, or its inline functions would be, too.
#pragma GCC push_options
#pragma GCC target("avxvnni,avx2,fma")

namespace contrastive::encoder::kernels {
namespace {

#include "core/encoder/kernels/vectors_avx2.inl"
#include "core/encoder/kernels/row_parts.inl"
#include "core/encoder/kernels/vector_math.inl"

constexpr int kNarrowRows = 6;
constexpr bool kUnsignedTokens = true;
using Group = __m256i;

inline Group group_of(const uint8_t* x) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(x));
}
inline Ints dot(Ints sums, Group x, int32_t weight) {
  return reinterpret_cast<Ints>(
      _mm256_dpbusd_avx_epi32(reinterpret_cast<__m256i>(sums), x, _mm256_set1_epi32(weight)));
}
inline Ints rounded(Vec x) { return reinterpret_cast<Ints>(_mm256_cvtps_epi32(x)); }

#include "core/encoder/kernels/narrow_int8.inl"
#include "core/encoder/kernels/narrow_linear.inl"

}  // namespace

const NarrowKernels kInt8AvxVnni{"avx-vnni", kFormat, &kAvx2, kNarrowRows, narrow, narrow_linear};

}  // namespace contrastive::encoder::kernels

#pragma GCC pop_options
#endif
