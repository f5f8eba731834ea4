// Kernels for x86-64 processors with AVX-512. Products in int8 need an extension of AVX-512;
// without one, the AVX2 kernels compute them.
#include "core/cpu/features.h"
#include "core/cpu/kernels.h"

#include <immintrin.h>

namespace contrastive::cpu {
namespace {

constexpr const char* kName = kAvx512.name;

#include "core/cpu/vectors_avx512.inl"

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

#include "core/cpu/float_kernels.inl"

}  // namespace

const EncodeKernels kAvx512Encode = kEncode;

extern const Kernels kAvx512Kernels{&kAvx512Encode, nullptr,  nullptr,
                                    &kTraining,     &kUpdate, &kScores};

}  // namespace contrastive::cpu
