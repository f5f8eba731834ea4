// The kernels for processors with AVX-512. Only the vector type is said here; what is computed stands in the .inl files.
#include "core/nn/kernels/kernel_table.h"

#if defined(__x86_64__)
#include <immintrin.h>

// From here on this file is compiled for the processor named; nothing of a system header may follow, or its inline functions would be, too.
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma")

namespace contrastive::nn::kernels {
namespace {

constexpr int kLanes = 16;
constexpr int kRows = 12;
using Vec = float __attribute__((vector_size(kLanes * sizeof(float))));
using Ints = int32_t __attribute__((vector_size(kLanes * sizeof(int32_t))));

inline Vec fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }
// The estimate (14 bits) and one step of Newton's: as good as float32 for the numbers met here, at a fifth of a division's time.
inline Vec reciprocal(Vec x) {
  const Vec estimate = _mm512_maskz_rcp14_ps(0xffff, x);  // the form without mask draws a false warning from GCC 12
  return fma(estimate, _mm512_fnmadd_ps(x, estimate, Vec{} + 1.0f), estimate);
}

#include "core/nn/kernels/vector_math.inl"
#include "core/nn/kernels/linear.inl"
#include "core/nn/kernels/layer_norm.inl"
#include "core/nn/kernels/attention.inl"

}  // namespace

const KernelTable kAvx512{"avx512", kLanes, kRows, linear, attention, layer_norm, activate};

}  // namespace contrastive::nn::kernels

#pragma GCC pop_options
#endif
