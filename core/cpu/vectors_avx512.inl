// The vectors of floats on processors with AVX-512. The other .inl files are written with them.

constexpr int kLanes = 16;
constexpr int kRows = 12;       // of weights in the tile of a product, two panels wide
constexpr int kScoreRows = 12;  // of a corpus in a tile of scores, two vectors wide
using Vec = float __attribute__((vector_size(kLanes * sizeof(float))));
using Ints = int32_t __attribute__((vector_size(kLanes * sizeof(int32_t))));
using UInts = uint32_t __attribute__((vector_size(kLanes * sizeof(uint32_t))));

inline Vec splat(float value) { return _mm512_set1_ps(value); }
inline Vec fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }
inline float fma_of_one(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
// The estimate (14 bits) and one step of Newton's method. For these numbers it is as accurate as
// float32, in a fifth of the time of a division.
inline Vec reciprocal(Vec x) {
  const Vec estimate =
      _mm512_maskz_rcp14_ps(0xffff, x);  // the form without a mask causes a false warning in GCC 12
  return fma(estimate, _mm512_fnmadd_ps(x, estimate, splat(1.0f)), estimate);
}
inline Vec root(Vec x) { return _mm512_maskz_sqrt_ps(0xffff, x); }
inline float sum_of_lanes(Vec x) {
  const __m256 halves = _mm256_add_ps(_mm512_maskz_extractf32x8_ps(0xff, x, 0),
                                      _mm512_maskz_extractf32x8_ps(0xff, x, 1));
  const __m128 quarters =
      _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps(halves, 1));
  const __m128 pairs = _mm_add_ps(quarters, _mm_movehl_ps(quarters, quarters));
  return _mm_cvtss_f32(_mm_add_ss(pairs, _mm_shuffle_ps(pairs, pairs, 1)));
}
