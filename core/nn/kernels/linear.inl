// Products of a weight matrix with token panels. Included by each build after vector_math.inl; kRows rows by two panels of sums stay in registers.

// Rows [row, row + R) of panels [panel, panel + P).
template <int R, int P>
void linear_tile(const LinearTask& t, int64_t panel, int64_t row) {
  Vec sums[R][P];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 2
    for (int p = 0; p < P; ++p) sums[r][p] = Vec{};
  }
  const float* x = t.x + panel * t.x_stride;
  const float* w = t.weight + row * t.in;
  const int64_t in = t.in;
  for (int64_t k = 0; k < in; ++k) {
    Vec tokens[P];
#pragma GCC unroll 2
    for (int p = 0; p < P; ++p) tokens[p] = load(x + p * t.x_stride + k * kLanes);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const Vec weight = splat(w[r * in + k]);
#pragma GCC unroll 2
      for (int p = 0; p < P; ++p) sums[r][p] = fma(weight, tokens[p], sums[r][p]);
    }
  }
#pragma GCC unroll 2
  for (int p = 0; p < P; ++p) {
    float* y = t.y + (panel + p) * t.y_stride + row * kLanes;
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) store(y + r * kLanes, sums[r][p] + (t.bias == nullptr ? 0.0f : t.bias[row + r]));
    if (t.activate) activate(t.activation, y, R);
    if (t.residual == nullptr) continue;
    const float* residual = t.residual + (panel + p) * t.residual_stride + row * kLanes;
    for (int r = 0; r < R; ++r) store(y + r * kLanes, load(y + r * kLanes) + load(residual + r * kLanes));
  }
}

// The tile of `rows` rows, 1 <= rows <= R.
template <int R, int P>
void linear_rows(const LinearTask& t, int64_t panel, int64_t row, int64_t rows) {
  if (rows == R) return linear_tile<R, P>(t, panel, row);
  if constexpr (R > 1) linear_rows<R - 1, P>(t, panel, row, rows);
}

// A block of rows is small enough for the second-level cache, where it stays while all panels pass by.
void linear(const LinearTask& t) {
  constexpr int64_t kBlock = 8 * kRows;
  for (int64_t block = t.begin; block < t.end; block += kBlock) {
    const int64_t block_end = block + kBlock < t.end ? block + kBlock : t.end;
    for (int64_t panel = 0; panel < t.panels; panel += 2) {
      for (int64_t row = block; row < block_end; row += kRows) {
        const int64_t rows = block_end - row < kRows ? block_end - row : kRows;
        if (panel + 1 < t.panels) linear_rows<kRows, 2>(t, panel, row, rows);
        else linear_rows<kRows, 1>(t, panel, row, rows);
      }
    }
  }
}
