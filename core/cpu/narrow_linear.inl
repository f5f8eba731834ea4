// Products of narrow weights with narrow token panels. Included after narrow_int8.inl or
// narrow_bfloat16.inl, which define Sum (a vector of sums), first_sums() and finish(), and after
// the set's own Group (a vector of one group of numbers for each token), group_of(), dot() and
// kNarrowRows.

// Rows [row, row + R) of panels [panel, panel + P).
template <int R, int P>
void narrow_tile(const NarrowLinearTask& t, int64_t panel, int64_t row) {
  Sum sums[R][P];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 2
    for (int p = 0; p < P; ++p) sums[r][p] = first_sums(t, row + r);
  }
  // A pointer for every three rows, as in linear.inl.
  const int64_t stride = t.weight_stride, groups = (t.in * kBytesEach + 3) / 4;
  const uint8_t* weights[(R + 2) / 3];
#pragma GCC unroll 8
  for (int i = 0; i < (R + 2) / 3; ++i) weights[i] = t.weight + (row + 3 * i) * stride;
  const uint8_t* x = t.x + panel * t.x_stride;
  for (int64_t k = 0; k < groups; ++k, x += 4 * kLanes) {
    Group tokens[P];
#pragma GCC unroll 2
    for (int p = 0; p < P; ++p) tokens[p] = group_of(x + p * t.x_stride);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      int32_t weight;
      __builtin_memcpy(&weight, weights[r / 3] + r % 3 * stride + 4 * k, sizeof(weight));
#pragma GCC unroll 2
      for (int p = 0; p < P; ++p) sums[r][p] = dot(sums[r][p], tokens[p], weight);
    }
  }
#pragma GCC unroll 2
  for (int p = 0; p < P; ++p) {
    float* y = t.y + (panel + p) * t.y_stride + row * kLanes;
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r)
      store(y + r * kLanes, finish(t, panel + p, row + r, sums[r][p]) +
                                (t.bias == nullptr ? 0.0f : t.bias[row + r]));
    if (t.activate) activate(t.activation, y, R);
    if (t.residual == nullptr) continue;
    const float* residual = t.residual + (panel + p) * t.residual_stride + row * kLanes;
    for (int r = 0; r < R; ++r)
      store(y + r * kLanes, load(y + r * kLanes) + load(residual + r * kLanes));
  }
}

// The tile of `rows` rows, 1 <= rows <= R.
template <int R, int P>
void narrow_rows(const NarrowLinearTask& t, int64_t panel, int64_t row, int64_t rows) {
  if (rows == R) return narrow_tile<R, P>(t, panel, row);
  if constexpr (R > 1) narrow_rows<R - 1, P>(t, panel, row, rows);
}

// A block of rows stays in the second-level cache while all panels are multiplied.
void narrow_linear(const NarrowLinearTask& t) {
  constexpr int64_t kBlock = 8 * kNarrowRows;
  for (int64_t block = t.begin; block < t.end; block += kBlock) {
    const int64_t block_end = block + kBlock < t.end ? block + kBlock : t.end;
    for (int64_t panel = 0; panel < t.panels; panel += 2) {
      for (int64_t row = block; row < block_end; row += kNarrowRows) {
        const int64_t rows = block_end - row < kNarrowRows ? block_end - row : kNarrowRows;
        if (panel + 1 < t.panels) narrow_rows<kNarrowRows, 2>(t, panel, row, rows);
        else narrow_rows<kNarrowRows, 1>(t, panel, row, rows);
      }
    }
  }
}
