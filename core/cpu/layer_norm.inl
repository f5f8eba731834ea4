// LayerNorm of token panels: every lane is a token, so no sum crosses lanes.
// Included after vector_math.inl.

void layer_norm(const LayerNormTask& t) {
  for (int64_t panel = 0; panel < t.panels; ++panel) {
    float* x = t.x + panel * t.width * kLanes;
    float* out = (t.out == nullptr ? t.x : t.out) + panel * t.width * kLanes;
    Vec sums[4] = {};
    for (int64_t i = 0; i < t.width; ++i) sums[i % 4] += load(x + i * kLanes);
    const Vec mean = ((sums[0] + sums[1]) + (sums[2] + sums[3])) *
                     static_cast<float>(1.0 / static_cast<double>(t.width));
    Vec squares[4] = {};
    for (int64_t i = 0; i < t.width; ++i) {
      const Vec d = load(x + i * kLanes) - mean;
      squares[i % 4] = fma(d, d, squares[i % 4]);
    }
    const Vec sum = (squares[0] + squares[1]) + (squares[2] + squares[3]);
    Vec scale{};
    for (int lane = 0; lane < kLanes; ++lane) {
      scale[lane] = static_cast<float>(
          1.0 /
          __builtin_sqrt(static_cast<double>(sum[lane]) / static_cast<double>(t.width) + t.eps));
    }
    for (int64_t i = 0; i < t.width; ++i) {
      store(out + i * kLanes, fma((load(x + i * kLanes) - mean) * scale, splat(t.gain[i]),
                                  splat(t.shift == nullptr ? 0.0f : t.shift[i])));
    }
  }
}
