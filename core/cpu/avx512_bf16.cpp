// AVX512_BF16 extends AVX-512 by a bfloat16 dot product.
#include "core/cpu/features.h"
#include "core/cpu/kernels.h"

#include <immintrin.h>

namespace contrastive::cpu {
namespace {

#include "core/cpu/vectors_avx512.inl"
#include "core/cpu/row_parts.inl"
#include "core/cpu/vector_math.inl"

constexpr int kNarrowRows = 12;
using Group = __m512i;

inline Group group_of(const uint8_t* x) { return _mm512_loadu_si512(x); }
inline Vec dot(Vec sums, Group x, int32_t weight) {
  return _mm512_dpbf16_ps(sums, reinterpret_cast<__m512bh>(x),
                          reinterpret_cast<__m512bh>(_mm512_set1_epi32(weight)));
}

#include "core/cpu/narrow_bfloat16.inl"
#include "core/cpu/narrow_linear.inl"

constexpr NarrowKernels kBfloat16{kAvx512Bf16.name, kFormat, &kAvx512Encode,
                                  kNarrowRows,      narrow,  narrow_linear};

}  // namespace

extern const Kernels kAvx512Bf16Kernels{nullptr, nullptr, &kBfloat16, nullptr, nullptr, nullptr};

}  // namespace contrastive::cpu
