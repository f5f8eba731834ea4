// The vectors of floats on processors with AVX2 and FMA. The other .inl files are written with
// them.

constexpr int kLanes = 8;
constexpr int kRows = 6;       // of weights in the tile of a product, two panels wide
constexpr int kScoreRows = 6;  // of a corpus in a tile of scores, two vectors wide
using Vec = float __attribute__((vector_size(kLanes * sizeof(float))));
using Ints = int32_t __attribute__((vector_size(kLanes * sizeof(int32_t))));
using UInts = uint32_t __attribute__((vector_size(kLanes * sizeof(uint32_t))));

inline Vec splat(float value) { return _mm256_set1_ps(value); }
inline Vec fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }
inline float fma_of_one(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline Vec reciprocal(Vec x) { return 1.0f / x; }
inline Vec root(Vec x) { return _mm256_sqrt_ps(x); }
inline float sum_of_lanes(Vec x) {
  const __m128 halves = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  const __m128 pairs = _mm_add_ps(halves, _mm_movehl_ps(halves, halves));
  return _mm_cvtss_f32(_mm_add_ss(pairs, _mm_shuffle_ps(pairs, pairs, 1)));
}
