// The vectors of floats on arm64 processors. The other .inl files are written with them.

constexpr int kLanes = 4;
constexpr int kRows = 8;        // of weights in the tile of a product, two panels wide
constexpr int kScoreRows = 12;  // of a corpus in a tile of scores, two vectors wide
using Vec = float __attribute__((vector_size(kLanes * sizeof(float))));
using Ints = int32_t __attribute__((vector_size(kLanes * sizeof(int32_t))));
using UInts = uint32_t __attribute__((vector_size(kLanes * sizeof(uint32_t))));

inline Vec splat(float value) { return vdupq_n_f32(value); }
inline Vec fma(Vec a, Vec b, Vec c) { return vfmaq_f32(c, a, b); }
inline float fma_of_one(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline Vec reciprocal(Vec x) { return 1.0f / x; }
inline Vec root(Vec x) { return vsqrtq_f32(x); }
inline float sum_of_lanes(Vec x) { return vaddvq_f32(x); }
