// AVX-VNNI extends AVX2 by the int8 instruction of AVX-512 VNNI on half the width.
#include "core/cpu/features.h"
#include "core/cpu/kernels.h"

#include <immintrin.h>

namespace contrastive::cpu {
namespace {

#include "core/cpu/vectors_avx2.inl"
#include "core/cpu/row_parts.inl"
#include "core/cpu/vector_math.inl"

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

#include "core/cpu/narrow_int8.inl"
#include "core/cpu/narrow_linear.inl"

constexpr NarrowKernels kInt8{kAvxVnni.name, kFormat, &kAvx2Encode,
                              kNarrowRows,   narrow,  narrow_linear};

}  // namespace

extern const Kernels kAvxVnniKernels{nullptr, &kInt8, nullptr, nullptr, nullptr, nullptr};

}  // namespace contrastive::cpu
