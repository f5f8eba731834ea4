// Kernels for x86-64 processors with AVX2 and FMA.
#include "core/cpu/features.h"
#include "core/cpu/kernels.h"

#include <immintrin.h>

namespace contrastive::cpu {
namespace {

constexpr const char* kName = kAvx2.name;

#include "core/cpu/vectors_avx2.inl"

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

#include "core/cpu/float_kernels.inl"

constexpr int kNarrowRows = 4;
constexpr bool kUnsignedTokens = false;

// vpmaddubsw multiplies unsigned bytes with signed ones and adds pairs in 16 bits, where it
// saturates above 32767. Given magnitudes of the tokens, and weights that have taken the tokens'
// signs, a pair is at most 2 * 128 * 127 = 32512: exact.
struct Group {
  __m256i bytes, magnitudes;
};
inline Group group_of(const uint8_t* x) {
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(x));
  return {bytes, _mm256_abs_epi8(bytes)};
}
inline Ints dot(Ints sums, const Group& x, int32_t weight) {
  const __m256i pairs =
      _mm256_maddubs_epi16(x.magnitudes, _mm256_sign_epi8(_mm256_set1_epi32(weight), x.bytes));
  return sums + reinterpret_cast<Ints>(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}
inline Ints rounded(Vec x) { return reinterpret_cast<Ints>(_mm256_cvtps_epi32(x)); }

#include "core/cpu/narrow_int8.inl"
#include "core/cpu/narrow_linear.inl"

constexpr NarrowKernels kInt8{kName, kFormat, &kAvx2Encode, kNarrowRows, narrow, narrow_linear};

}  // namespace

const EncodeKernels kAvx2Encode = kEncode;

extern const Kernels kAvx2Kernels{&kAvx2Encode, &kInt8, nullptr, &kTraining, &kUpdate, &kScores};

}  // namespace contrastive::cpu
