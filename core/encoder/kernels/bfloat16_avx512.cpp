// bfloat16 for processors with AVX512_BF16.
#include "core/encoder/kernels/narrow_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

// From here on this file is compiled for the processor named; nothing of a system header may
// follow, or its inline functions would be, too.
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw,avx512bf16,avx2,fma")

namespace contrastive::encoder::kernels {
namespace {

#include "core/encoder/kernels/vectors_avx512.inl"
#include "core/encoder/kernels/row_parts.inl"
#include "core/encoder/kernels/vector_math.inl"

constexpr int kNarrowRows = 12;
using Group = __m512i;

inline Group group_of(const uint8_t* x) { return _mm512_loadu_si512(x); }
inline Vec dot(Vec sums, Group x, int32_t weight) {
  return _mm512_dpbf16_ps(sums, reinterpret_cast<__m512bh>(x),
                          reinterpret_cast<__m512bh>(_mm512_set1_epi32(weight)));
}

#include "core/encoder/kernels/narrow_bfloat16.inl"
#include "core/encoder/kernels/narrow_linear.inl"

}  // namespace

const NarrowKernels kBfloat16Avx512{"avx512-bf16", kFormat, &kAvx512,
                                    kNarrowRows,   narrow,  narrow_linear};

}  // namespace contrastive::encoder::kernels

#pragma GCC pop_options
#endif
