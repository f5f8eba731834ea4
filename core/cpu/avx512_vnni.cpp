// AVX-512 VNNI extends AVX-512 by an int8 dot product.
#include "core/cpu/features.h"
#include "core/cpu/kernels.h"

#include <immintrin.h>

namespace contrastive::cpu {
namespace {

#include "core/cpu/vectors_avx512.inl"
#include "core/cpu/row_parts.inl"
#include "core/cpu/vector_math.inl"

constexpr int kNarrowRows = 12;
constexpr bool kUnsignedTokens = true;
using Group = __m512i;

inline Group group_of(const uint8_t* x) { return _mm512_loadu_si512(x); }
inline Ints dot(Ints sums, Group x, int32_t weight) {
  return reinterpret_cast<Ints>(
      _mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sums), x, _mm512_set1_epi32(weight)));
}
inline Ints rounded(Vec x) { return reinterpret_cast<Ints>(_mm512_maskz_cvtps_epi32(0xffff, x)); }

#include "core/cpu/narrow_int8.inl"
#include "core/cpu/narrow_linear.inl"

constexpr NarrowKernels kInt8{kAvx512Vnni.name, kFormat, &kAvx512Encode,
                              kNarrowRows,      narrow,  narrow_linear};

}  // namespace

extern const Kernels kAvx512VnniKernels{nullptr, &kInt8, nullptr, nullptr, nullptr, nullptr};

}  // namespace contrastive::cpu
