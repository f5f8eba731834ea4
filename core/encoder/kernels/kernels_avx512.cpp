// The kernels for processors with AVX-512. Only the vector type is said here; what is computed stands in the .inl files.
#include "core/encoder/kernels/kernel_table.h"
#include "core/encoder/kernels/row_products.h"

#if defined(__x86_64__)
#include <immintrin.h>

// From here on this file is compiled for the processor named; nothing of a system header may follow, or its inline functions would be, too.
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma")

namespace contrastive::encoder::kernels {
namespace {

constexpr int kLanes = 16;
constexpr int kRows = 12;
using Vec = float __attribute__((vector_size(kLanes * sizeof(float))));
using Ints = int32_t __attribute__((vector_size(kLanes * sizeof(int32_t))));
using UInts = uint32_t __attribute__((vector_size(kLanes * sizeof(uint32_t))));

inline Vec splat(float value) { return _mm512_set1_ps(value); }
inline Vec fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }
// The estimate (14 bits) and one step of Newton's: as good as float32 for the numbers met here, at a fifth of a division's time.
inline Vec reciprocal(Vec x) {
  const Vec estimate = _mm512_maskz_rcp14_ps(0xffff, x);  // the form without mask draws a false warning from GCC 12
  return fma(estimate, _mm512_fnmadd_ps(x, estimate, splat(1.0f)), estimate);
}
inline Vec root(Vec x) { return _mm512_maskz_sqrt_ps(0xffff, x); }
inline float sum_of_lanes(Vec x) {
  const __m256 halves = _mm256_add_ps(_mm512_maskz_extractf32x8_ps(0xff, x, 0), _mm512_maskz_extractf32x8_ps(0xff, x, 1));
  const __m128 quarters = _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps(halves, 1));
  const __m128 pairs = _mm_add_ps(quarters, _mm_movehl_ps(quarters, quarters));
  return _mm_cvtss_f32(_mm_add_ss(pairs, _mm_shuffle_ps(pairs, pairs, 1)));
}

// The 64-bit products of the lanes with m, in halves.
inline void wide_multiply(UInts x, uint32_t m, UInts& high, UInts& low) {
  const __m512i value = reinterpret_cast<__m512i>(x), factor = _mm512_set1_epi64(m);
  const __m512i even = _mm512_maskz_mul_epu32(0xff, value, factor);
  const __m512i odd = _mm512_maskz_mul_epu32(0xff, _mm512_maskz_srli_epi64(0xff, value, 32), factor);
  low = reinterpret_cast<UInts>(_mm512_mask_blend_epi32(0xaaaa, even, _mm512_maskz_slli_epi64(0xff, odd, 32)));
  high = reinterpret_cast<UInts>(_mm512_mask_blend_epi32(0xaaaa, _mm512_maskz_srli_epi64(0xff, even, 32), odd));
}
// Bit i: lane i >= threshold.
inline uint64_t at_least(UInts x, uint32_t threshold) {
  return _mm512_cmpge_epu32_mask(reinterpret_cast<__m512i>(x), _mm512_set1_epi32(static_cast<int32_t>(threshold)));
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

const KernelTable kAvx512{"avx512", kLanes, kRows, linear, attention, layer_norm, activate,
    {norm, norm_backward, activation, attention_of_text, attention_backward_of_text, scale_shift, drop, column_sums, draw_mask, adam,
     is_zero, sum_of_squares}};

const RowKernels kAvx512Rows{"avx512", row_products, weight_gradient};

}  // namespace contrastive::encoder::kernels

#pragma GCC pop_options
#endif
