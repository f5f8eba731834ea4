// exp and the activations on vectors of kLanes floats. Included after row_parts.inl.

inline Vec larger(Vec a, Vec b) { return a > b ? a : b; }
inline Vec smaller(Vec a, Vec b) { return a < b ? a : b; }

// Relative error below 2e-7 on [-87, 88]; outside it, the value at the bound. NaN stays NaN: the
// order of the bounds' arguments lets it through, and x - x is added because the bits below may
// have become a number.
inline Vec exponential(Vec x) {
  constexpr float kMagic =
      12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer, which is then in the low bits
  x = smaller(splat(88.0f), larger(splat(-87.0f), x));
  const Vec shifted = fma(x, splat(1.44269504f), splat(kMagic));
  const Vec n = shifted - kMagic;
  Vec r = fma(n, splat(-0.693359375f), x);  // ln 2 in two parts (Cody and Waite)
  r = fma(n, splat(2.12194440e-4f), r);
  Vec p = splat(1.9875691500e-4f);  // minimax polynomial of Cephes' expf
  p = fma(p, r, splat(1.3981999507e-3f));
  p = fma(p, r, splat(8.3334519073e-3f));
  p = fma(p, r, splat(4.1665795894e-2f));
  p = fma(p, r, splat(1.6666665459e-1f));
  p = fma(p, r, splat(5.0000001201e-1f));
  p = fma(p, r * r, r + 1.0f);
  Ints bits, power;
  __builtin_memcpy(&bits, &p, sizeof(p));
  __builtin_memcpy(&power, &shifted, sizeof(power));
  bits += power << 23;  // times 2^n: the magic number's own bits leave at the top
  Vec result;
  __builtin_memcpy(&result, &bits, sizeof(result));
  return result + (x - x);
}

// Rational approximation on [-4, 4], beyond which erf is 1 in float32; absolute error below 2e-7.
inline Vec error_function(Vec x) {
  x = smaller(larger(x, splat(-4.0f)), splat(4.0f));
  const Vec s = x * x;
  Vec p = splat(-2.72614225801306e-10f);
  p = fma(p, s, splat(2.77068142495902e-08f));
  p = fma(p, s, splat(-2.10102402082508e-06f));
  p = fma(p, s, splat(-5.69250639462346e-05f));
  p = fma(p, s, splat(-7.34990630326855e-04f));
  p = fma(p, s, splat(-2.95459980854025e-03f));
  p = fma(p, s, splat(-1.60960333262415e-02f));
  Vec q = splat(-1.45660718464996e-05f);
  q = fma(q, s, splat(-2.13374055278905e-04f));
  q = fma(q, s, splat(-1.68282697438203e-03f));
  q = fma(q, s, splat(-7.37332916720468e-03f));
  q = fma(q, s, splat(-1.42647390514189e-02f));
  return x * p * reciprocal(q);
}

inline Vec sigmoid(Vec x) { return reciprocal(exponential(-x) + 1.0f); }

inline Vec apply(Activation activation, Vec x) {
  switch (activation) {
    case Activation::kGeluErf: {
      const Vec half = x * 0.5f;
      return fma(half, error_function(x * 0.70710678f), half);
    }
    case Activation::kGeluTanh:  // 0.5 x (1 + tanh(u)) = x sigmoid(2 u)
      return x * sigmoid(1.5957691216f * fma(x * x * x, splat(0.044715f), x));
    case Activation::kRelu: return larger(Vec{}, x);  // in this order NaN stays NaN
    case Activation::kSilu: return x * sigmoid(x);
    default: break;  // kernels_activate() refuses the others
  }
  return x;
}

void activate(Activation activation, float* x, int64_t vectors) {
  for (int64_t i = 0; i < vectors; ++i)
    store(x + i * kLanes, apply(activation, load(x + i * kLanes)));
}
