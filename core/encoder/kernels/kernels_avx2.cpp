// The kernels for processors with AVX2 and FMA. Only the vector type is said here; what is computed
// stands in the .inl files.
#include "core/encoder/kernels/kernel_table.h"
#include "core/encoder/kernels/row_products.h"

#if defined(__x86_64__)
#include <immintrin.h>

// From here on this file is compiled for the processor named; nothing of a system header may
// follow, or its inline functions would be, too.
#pragma GCC push_options
#pragma GCC target("avx2,fma")

namespace contrastive::encoder::kernels {
namespace {

#include "core/encoder/kernels/vectors_avx2.inl"

// The 64-bit products of the lanes with m, in halves.
inline void wide_multiply(UInts x, uint32_t m, UInts& high, UInts& low) {
  const __m256i value = reinterpret_cast<__m256i>(x), factor = _mm256_set1_epi64x(m);
  const __m256i even = _mm256_mul_epu32(value, factor),
                odd = _mm256_mul_epu32(_mm256_srli_epi64(value, 32), factor);
  low = reinterpret_cast<UInts>(_mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa));
  high = reinterpret_cast<UInts>(_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa));
}
// Bit i: lane i >= threshold.
inline uint64_t at_least(UInts x, uint32_t threshold) {
  const __m256i value = reinterpret_cast<__m256i>(x),
                bound = _mm256_set1_epi32(static_cast<int32_t>(threshold));
  const __m256i equal = _mm256_cmpeq_epi32(_mm256_max_epu32(value, bound), value);
  return static_cast<uint64_t>(
      static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(equal))));
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

const KernelTable kAvx2{"avx2",
                        kLanes,
                        kRows,
                        linear,
                        attention,
                        layer_norm,
                        activate,
                        {norm, norm_backward, activation, attention_of_text,
                         attention_backward_of_text, scale_shift, drop, column_sums, draw_mask}};

const RowKernels kAvx2Rows{"avx2", row_products, weight_gradient};

}  // namespace contrastive::encoder::kernels

#pragma GCC pop_options
#endif
