// The kernels for processors with AVX2 and FMA. Only the vector type is said here; what is computed stands in the .inl files.
#include "core/encoder/kernels/kernel_table.h"
#include "core/encoder/kernels/row_products.h"

#if defined(__x86_64__)
#include <immintrin.h>

// From here on this file is compiled for the processor named; nothing of a system header may follow, or its inline functions would be, too.
#pragma GCC push_options
#pragma GCC target("avx2,fma")

namespace contrastive::encoder::kernels {
namespace {

constexpr int kLanes = 8;
constexpr int kRows = 6;
using Vec = float __attribute__((vector_size(kLanes * sizeof(float))));
using Ints = int32_t __attribute__((vector_size(kLanes * sizeof(int32_t))));
using UInts = uint32_t __attribute__((vector_size(kLanes * sizeof(uint32_t))));

inline Vec splat(float value) { return _mm256_set1_ps(value); }
inline Vec fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }
inline Vec reciprocal(Vec x) { return 1.0f / x; }
inline Vec root(Vec x) { return _mm256_sqrt_ps(x); }
inline float sum_of_lanes(Vec x) {
  const __m128 halves = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  const __m128 pairs = _mm_add_ps(halves, _mm_movehl_ps(halves, halves));
  return _mm_cvtss_f32(_mm_add_ss(pairs, _mm_shuffle_ps(pairs, pairs, 1)));
}

// The 64-bit products of the lanes with m, in halves.
inline void wide_multiply(UInts x, uint32_t m, UInts& high, UInts& low) {
  const __m256i value = reinterpret_cast<__m256i>(x), factor = _mm256_set1_epi64x(m);
  const __m256i even = _mm256_mul_epu32(value, factor), odd = _mm256_mul_epu32(_mm256_srli_epi64(value, 32), factor);
  low = reinterpret_cast<UInts>(_mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa));
  high = reinterpret_cast<UInts>(_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa));
}
// Bit i: lane i >= threshold.
inline uint64_t at_least(UInts x, uint32_t threshold) {
  const __m256i value = reinterpret_cast<__m256i>(x), bound = _mm256_set1_epi32(static_cast<int32_t>(threshold));
  const __m256i equal = _mm256_cmpeq_epi32(_mm256_max_epu32(value, bound), value);
  return static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(equal))));
}

#include "core/encoder/kernels/vector_math.inl"
#include "core/encoder/kernels/linear.inl"
#include "core/encoder/kernels/layer_norm.inl"
#include "core/encoder/kernels/attention.inl"
#include "core/encoder/kernels/training_rows.inl"
#include "core/encoder/kernels/training_attention.inl"
#include "core/encoder/kernels/philox.inl"
#include "core/encoder/kernels/adam.inl"
#include "core/encoder/kernels/row_products.inl"

}  // namespace

const KernelTable kAvx2{"avx2", kLanes, kRows, linear, attention, layer_norm, activate,
    {norm, norm_backward, activation, attention_of_text, attention_backward_of_text, scale_shift, drop, column_sums, draw_mask, adam,
     is_zero, sum_of_squares}};

const RowKernels kAvx2Rows{"avx2", row_products, weight_gradient};

}  // namespace contrastive::encoder::kernels

#pragma GCC pop_options
#endif
