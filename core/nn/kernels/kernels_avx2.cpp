// The kernels for processors with AVX2 and FMA. Only the vector type is said here; what is computed stands in the .inl files.
#include "core/nn/kernels/kernel_table.h"

#if defined(__x86_64__)
#include <immintrin.h>

// From here on this file is compiled for the processor named; nothing of a system header may follow, or its inline functions would be, too.
#pragma GCC push_options
#pragma GCC target("avx2,fma")

namespace contrastive::nn::kernels {
namespace {

constexpr int kLanes = 8;
constexpr int kRows = 6;
using Vec = float __attribute__((vector_size(kLanes * sizeof(float))));
using Ints = int32_t __attribute__((vector_size(kLanes * sizeof(int32_t))));

inline Vec splat(float value) { return _mm256_set1_ps(value); }
inline Vec fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }
inline Vec reciprocal(Vec x) { return 1.0f / x; }
inline float sum_of_lanes(Vec x) {
  const __m128 halves = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  const __m128 pairs = _mm_add_ps(halves, _mm_movehl_ps(halves, halves));
  return _mm_cvtss_f32(_mm_add_ss(pairs, _mm_shuffle_ps(pairs, pairs, 1)));
}

#include "core/nn/kernels/vector_math.inl"
#include "core/nn/kernels/linear.inl"
#include "core/nn/kernels/layer_norm.inl"
#include "core/nn/kernels/attention.inl"

}  // namespace

const KernelTable kAvx2{"avx2", kLanes, kRows, linear, attention, layer_norm, activate};

}  // namespace contrastive::nn::kernels

#pragma GCC pop_options
#endif
