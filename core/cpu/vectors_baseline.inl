// The vectors of floats on any processor. The other .inl files are written with them.

constexpr int kLanes = 4;
constexpr int kRows = 4;       // of weights in the tile of a product, two panels wide
constexpr int kScoreRows = 6;  // of a corpus in a tile of scores, two vectors wide
using Vec = float __attribute__((vector_size(kLanes * sizeof(float))));
using Ints = int32_t __attribute__((vector_size(kLanes * sizeof(int32_t))));
using UInts = uint32_t __attribute__((vector_size(kLanes * sizeof(uint32_t))));

inline Vec splat(float value) { return Vec{value, value, value, value}; }
inline Vec fma(Vec a, Vec b, Vec c) { return a * b + c; }
inline float fma_of_one(float a, float b, float c) { return a * b + c; }
inline Vec reciprocal(Vec x) { return 1.0f / x; }
inline Vec root(Vec x) {
  for (int i = 0; i < kLanes; ++i) x[i] = __builtin_sqrtf(x[i]);
  return x;
}
inline float sum_of_lanes(Vec x) { return (x[0] + x[2]) + (x[1] + x[3]); }
