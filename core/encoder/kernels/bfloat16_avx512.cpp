// bfloat16 for processors with AVX512_BF16.
#include "core/encoder/kernels/narrow_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

// From here on this file is compiled for the processor named; nothing of a system header may follow, or its inline functions would be, too.
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw,avx512bf16,avx2,fma")

namespace contrastive::encoder::kernels {
namespace {

#include "core/encoder/kernels/vectors_avx512.inl"
#include "core/encoder/kernels/row_parts.inl"
#include "core/encoder/kernels/vector_math.inl"

constexpr Narrow kFormat = Narrow::kBfloat16;
constexpr int kNarrowRows = 12;
using Sum = Vec;
using Group = __m512i;

inline Group group_of(const uint8_t* x) { return _mm512_loadu_si512(x); }
inline Vec dot(Vec sums, Group x, int32_t weight) {
  return _mm512_dpbf16_ps(sums, reinterpret_cast<__m512bh>(x), reinterpret_cast<__m512bh>(_mm512_set1_epi32(weight)));
}
inline Vec first_sums(const NarrowLinearTask&, int64_t) { return Vec{}; }
inline Vec finish(const NarrowLinearTask&, int64_t, int64_t, Vec sums) { return sums; }

// Rounded to nearest, ties to even, in the upper 16 bits. NaN stays NaN: its quiet bit is set and no carry reaches it.
inline UInts upper(Vec x) {
  UInts bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  const UInts even = bits + 0x7fff + (bits >> 16 & 1);
  return (x == x ? even : bits | 0x400000) & 0xffff0000;
}

void narrow(const NarrowTask& t) {
  for (int64_t panel = 0; panel < t.panels; ++panel) {
    const float* x = t.x + panel * t.x_stride;
    uint8_t* out = t.out + panel * t.out_stride;
    for (int64_t i = 0; i < t.width; i += 2, x += 2 * kLanes, out += 4 * kLanes) {
      const UInts pair = upper(load(x)) >> 16 | (i + 1 < t.width ? upper(load(x + kLanes)) : UInts{});
      __builtin_memcpy(out, &pair, sizeof(pair));
    }
  }
}

#include "core/encoder/kernels/narrow_linear.inl"

}  // namespace

const NarrowKernels kBfloat16Avx512{"avx512-bf16", kFormat, &kAvx512, kNarrowRows, narrow, narrow_linear};

}  // namespace contrastive::encoder::kernels

#pragma GCC pop_options
#endif
