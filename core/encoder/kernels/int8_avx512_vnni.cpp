// int8 for processors with AVX-512 VNNI.
#include "core/encoder/kernels/narrow_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

// From here on this file is compiled for the processor named; nothing of a system header may
// follow, or its inline functions would be, too.
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw,avx512vnni,avx2,fma")

namespace contrastive::encoder::kernels {
namespace {

#include "core/encoder/kernels/vectors_avx512.inl"
#include "core/encoder/kernels/row_parts.inl"
#include "core/encoder/kernels/vector_math.inl"

constexpr int kNarrowRows = 12;
constexpr bool kUnsignedTokens = true;
using Group = __m512i;

inline Group group_of(const uint8_t* x) { return _mm512_loadu_si512(x); }
inline Ints dot(Ints sums, Group x, int32_t weight) {
  return reinterpret_cast<Ints>(
      _mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sums), x, _mm512_set1_epi32(weight)));
}
inline Ints rounded(Vec x) { return reinterpret_cast<Ints>(_mm512_maskz_cvtps_epi32(0xffff, x)); }

#include "core/encoder/kernels/narrow_int8.inl"
#include "core/encoder/kernels/narrow_linear.inl"

}  // namespace

const NarrowKernels kInt8Avx512Vnni{"avx512-vnni", kFormat, &kAvx512,
                                    kNarrowRows,   narrow,  narrow_linear};

}  // namespace contrastive::encoder::kernels

#pragma GCC pop_options
#endif
