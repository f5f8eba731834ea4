// LayerNorm with what precedes it, activations and dropout on rows, forward and backward. Included
// after vector_math.inl.

// x where the lane's bit is 1, else 0.
inline Vec keep(Vec x, uint64_t bits) {
  Ints lane;
  for (int i = 0; i < kLanes; ++i) lane[i] = 1 << i;
  const Ints wanted = (Ints{} + static_cast<int32_t>(bits & 0xffff)) & lane;
  return wanted != 0 ? x : Vec{};
}
// The bits of the lanes from element i on, where i is a multiple of kLanes.
inline uint64_t bits_of(const uint64_t* row, int64_t i) { return row[i / 64] >> (i % 64); }

inline Vec masked(Vec x, const Mask& mask, const uint64_t* row, int64_t i) {
  return row == nullptr ? x : keep(x, bits_of(row, i)) * mask.scale;
}
inline const uint64_t* mask_row(const Mask& mask, int64_t row) {
  return mask.bits == nullptr ? nullptr : mask.bits + row * mask.words;
}

void norm(const NormTask& t) {
  const float share = static_cast<float>(1.0 / static_cast<double>(t.width));
  for (int64_t row = 0; row < t.rows; ++row) {
    const float* y = t.y + row * t.width;
    const float* residual = t.residual == nullptr ? nullptr : t.residual + row * t.width;
    const uint64_t* bits = mask_row(t.mask, row);
    float* normed = t.normed + row * t.width;
    float* out = t.out + row * t.width;
    Vec sum{}, squares{};
    for (int64_t i = 0; i < t.width; i += kLanes) {
      const int64_t n = part(i, t.width);
      Vec v = load_part(y + i, n);
      if (t.bias != nullptr) v += load_part(t.bias + i, n);
      v = masked(v, t.mask, bits, i);
      if (residual != nullptr) v += load_part(residual + i, n);
      sum += v;
      store_part(normed + i, v, n);
    }
    const Vec mean = splat(sum_of_lanes(sum) * share);
    for (int64_t i = 0; i < t.width; i += kLanes) {
      const int64_t n = part(i, t.width);
      const Vec d = trim(load_part(normed + i, n) - mean, n);
      squares = fma(d, d, squares);
    }
    const double variance =
        static_cast<double>(sum_of_lanes(squares)) / static_cast<double>(t.width);
    const float scale = static_cast<float>(1.0 / __builtin_sqrt(variance + t.eps));
    t.scale[row] = scale;
    for (int64_t i = 0; i < t.width; i += kLanes) {
      const int64_t n = part(i, t.width);
      const Vec v = (load_part(normed + i, n) - mean) * scale;
      store_part(normed + i, v, n);
      store_part(out + i, fma(v, load_part(t.gain + i, n), load_part(t.shift + i, n)), n);
    }
  }
}

inline void add_to(float* sums, Vec v, int64_t n) { store_part(sums, load_part(sums, n) + v, n); }

void norm_backward(const NormBackwardTask& t) {
  const float share = static_cast<float>(1.0 / static_cast<double>(t.width));
  for (int64_t i = 0; i < t.width; ++i) t.grad_gain[i] = t.grad_shift[i] = t.grad_bias[i] = 0.0f;
  for (int64_t row = 0; row < t.rows; ++row) {
    const float* grad_out = t.grad_out + row * t.width;
    const float* normed = t.normed + row * t.width;
    const uint64_t* bits = mask_row(t.mask, row);
    float* grad_sum = t.grad_sum + row * t.width;
    Vec sum{}, product{};
    for (int64_t i = 0; i < t.width; i += kLanes) {
      const int64_t n = part(i, t.width);
      const Vec g = load_part(grad_out + i, n), x = load_part(normed + i, n);
      add_to(t.grad_gain + i, g * x, n);
      add_to(t.grad_shift + i, g, n);
      const Vec scaled = g * load_part(t.gain + i, n);
      sum += scaled;
      product = fma(scaled, x, product);
    }
    const Vec mean = splat(sum_of_lanes(sum) * share), slope = splat(sum_of_lanes(product) * share);
    for (int64_t i = 0; i < t.width; i += kLanes) {
      const int64_t n = part(i, t.width);
      const Vec scaled = load_part(grad_out + i, n) * load_part(t.gain + i, n);
      const Vec g = (scaled - mean - load_part(normed + i, n) * slope) * t.scale[row];
      store_part(grad_sum + i, g, n);
      if (t.grad_y == nullptr) continue;
      const Vec dropped = trim(masked(g, t.mask, bits, i), n);
      store_part(t.grad_y + row * t.width + i, dropped, n);
      add_to(t.grad_bias + i, dropped, n);
    }
  }
}

template <Activation kind>
inline Vec slope_of(Vec x, Vec& value) {
  if constexpr (kind == Activation::kGeluErf) {
    const Vec half = x * 0.5f, e = error_function(x * 0.70710678f);
    value = fma(half, e, half);  // to the bits of apply()
    return fma(x * 0.3989422804f, exponential(x * x * -0.5f), fma(e, splat(0.5f), splat(0.5f)));
  } else if constexpr (kind == Activation::kRelu) {
    value = larger(x, Vec{});
    return x > 0.0f ? splat(1.0f) : Vec{};
  } else {
    const bool tanh =
        kind == Activation::kGeluTanh;  // x sigmoid(z) with z(x) as in apply(); for SiLU z = x
    const Vec z = tanh ? 1.5957691216f * fma(x * x * x, splat(0.044715f), x) : x;
    const Vec slope =
        tanh ? 1.5957691216f * fma(x * x, splat(0.134145f), splat(1.0f)) : splat(1.0f);
    const Vec s = sigmoid(z);
    value = x * s;
    return fma(value * (1.0f - s), slope, s);
  }
}

template <Activation kind>
void activation_rows(const ActivationTask& t) {
  if (t.grad != nullptr) {
    for (int64_t i = 0; i < t.width; ++i) t.grad_bias[i] = 0.0f;
  }
  for (int64_t row = 0; row < t.rows; ++row) {
    const float* x = t.x + row * t.width;
    float* activated = t.activated + row * t.width;
    for (int64_t i = 0; i < t.width; i += kLanes) {
      const int64_t n = part(i, t.width);
      const Vec v = load_part(x + i, n) + load_part(t.bias + i, n);
      if (t.grad == nullptr) {
        store_part(activated + i, apply(kind, v), n);
        continue;
      }
      Vec value;
      float* grad = t.grad + row * t.width + i;
      const Vec g = load_part(grad, n) * slope_of<kind>(v, value);
      store_part(activated + i, value, n);
      store_part(grad, g, n);
      add_to(t.grad_bias + i, g, n);
    }
  }
}

void activation(const ActivationTask& t) {
  switch (t.activation) {
    case Activation::kGeluErf: return activation_rows<Activation::kGeluErf>(t);
    case Activation::kGeluTanh: return activation_rows<Activation::kGeluTanh>(t);
    case Activation::kRelu: return activation_rows<Activation::kRelu>(t);
    case Activation::kSilu: return activation_rows<Activation::kSilu>(t);
    default: return;  // kernels_activate() refuses the others
  }
}

void scale_shift(const float* x, const float* gain, const float* shift, int64_t rows, int64_t width,
                 float* y) {
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < width; i += kLanes) {
      const int64_t n = part(i, width);
      store_part(y + row * width + i,
                 fma(load_part(x + row * width + i, n), load_part(gain + i, n),
                     load_part(shift + i, n)),
                 n);
    }
  }
}

void drop(float* x, int64_t rows, int64_t width, const Mask& mask) {
  if (mask.bits == nullptr) return;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < width; i += kLanes) {
      const int64_t n = part(i, width);
      float* place = x + row * width + i;
      store_part(place, masked(load_part(place, n), mask, mask_row(mask, row), i), n);
    }
  }
}

void column_sums(const float* x, int64_t rows, int64_t width, int64_t stride, float* sums) {
  for (int64_t i = 0; i < width; i += kLanes) {
    const int64_t n = part(i, width);
    Vec sum{};
    for (int64_t row = 0; row < rows; ++row) sum += load_part(x + row * stride + i, n);
    store_part(sums + i, sum, n);
  }
}
