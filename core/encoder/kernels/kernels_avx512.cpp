// The kernels for processors with AVX-512. Only the vector type is said here; what is computed
// stands in the .inl files.
#include "core/encoder/kernels/kernel_table.h"
#include "core/encoder/kernels/row_products.h"

#if defined(__x86_64__)
#include <immintrin.h>

// From here on this file is compiled for the processor named; nothing of a system header may
// follow, or its inline functions would be, too.
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma")

namespace contrastive::encoder::kernels {
namespace {

#include "core/encoder/kernels/vectors_avx512.inl"

// The 64-bit products of the lanes with m, in halves.
inline void wide_multiply(UInts x, uint32_t m, UInts& high, UInts& low) {
  const __m512i value = reinterpret_cast<__m512i>(x), factor = _mm512_set1_epi64(m);
  const __m512i even = _mm512_maskz_mul_epu32(0xff, value, factor);
  const __m512i odd =
      _mm512_maskz_mul_epu32(0xff, _mm512_maskz_srli_epi64(0xff, value, 32), factor);
  low = reinterpret_cast<UInts>(
      _mm512_mask_blend_epi32(0xaaaa, even, _mm512_maskz_slli_epi64(0xff, odd, 32)));
  high = reinterpret_cast<UInts>(
      _mm512_mask_blend_epi32(0xaaaa, _mm512_maskz_srli_epi64(0xff, even, 32), odd));
}
// Bit i: lane i >= threshold.
inline uint64_t at_least(UInts x, uint32_t threshold) {
  return _mm512_cmpge_epu32_mask(reinterpret_cast<__m512i>(x),
                                 _mm512_set1_epi32(static_cast<int32_t>(threshold)));
}

#include "core/encoder/kernels/row_parts.inl"
#include "core/encoder/kernels/vector_math.inl"
#include "core/encoder/kernels/linear.inl"
#include "core/encoder/kernels/layer_norm.inl"
#include "core/encoder/kernels/attention.inl"
#include "core/encoder/kernels/training_rows.inl"
#include "core/encoder/kernels/training_attention.inl"
#include "core/encoder/kernels/philox.inl"
#include "core/encoder/kernels/row_products.inl"

}  // namespace

const KernelTable kAvx512{"avx512",
                          kLanes,
                          kRows,
                          linear,
                          attention,
                          layer_norm,
                          activate,
                          {norm, norm_backward, activation, attention_of_text,
                           attention_backward_of_text, scale_shift, drop, column_sums, draw_mask}};

const RowKernels kAvx512Rows{"avx512", row_products, weight_gradient};

}  // namespace contrastive::encoder::kernels

#pragma GCC pop_options
#endif
