// Products of a weight matrix with token panels: kRows rows by two panels of sums stay in
// registers. Included after vector_math.inl.

constexpr int64_t kLine = 16;  // floats of a cache line

// Rows [row, row + R) of panels [panel, panel + P). kStream: every weight is used once and comes
// from far memory, so the next rows are fetched while these are multiplied.
template <int R, int P, bool kStream>
void linear_tile(const LinearTask& t, int64_t panel, int64_t row) {
  Vec sums[R][P];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 2
    for (int p = 0; p < P; ++p) sums[r][p] = Vec{};
  }
  // One pointer for every three rows: the processor's address modes reach one and two strides
  // further, and a pointer for each row would not fit in the registers.
  const int64_t in = t.in, x_stride = t.x_stride;
  const float* weights[(R + 2) / 3];
#pragma GCC unroll 8
  for (int i = 0; i < (R + 2) / 3; ++i) weights[i] = t.weight + (row + 3 * i) * in;
  const float* x = t.x + panel * x_stride;
  for (int64_t k = 0; k < in; ++k, x += kLanes) {
    if (kStream && k % kLine == 0) {
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) __builtin_prefetch(weights[r / 3] + (r % 3 + R) * in + k, 0, 2);
    }
    Vec tokens[P];
#pragma GCC unroll 2
    for (int p = 0; p < P; ++p) tokens[p] = load(x + p * x_stride);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const Vec weight = splat(weights[r / 3][r % 3 * in + k]);
#pragma GCC unroll 2
      for (int p = 0; p < P; ++p) sums[r][p] = fma(weight, tokens[p], sums[r][p]);
    }
  }
#pragma GCC unroll 2
  for (int p = 0; p < P; ++p) {
    float* y = t.y + (panel + p) * t.y_stride + row * kLanes;
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r)
      store(y + r * kLanes, sums[r][p] + (t.bias == nullptr ? 0.0f : t.bias[row + r]));
    if (t.activate) activate(t.activation, y, R);
    if (t.residual == nullptr) continue;
    const float* residual = t.residual + (panel + p) * t.residual_stride + row * kLanes;
    for (int r = 0; r < R; ++r)
      store(y + r * kLanes, load(y + r * kLanes) + load(residual + r * kLanes));
  }
}

// The tile of `rows` rows, 1 <= rows <= R.
template <int R, int P>
void linear_rows(const LinearTask& t, int64_t panel, int64_t row, int64_t rows) {
  if (R == kRows && rows == R && t.panels <= P + 1)
    return linear_tile<R, P, R == kRows>(t, panel, row);
  if (rows == R) return linear_tile<R, P, false>(t, panel, row);
  if constexpr (R > 1) linear_rows<R - 1, P>(t, panel, row, rows);
}

// Adds bias, activation and residual to the row's sums in one panel and writes it.
inline void finish_row(const LinearTask& t, int64_t panel, int64_t row, Vec sums) {
  if (t.bias != nullptr) sums = sums + t.bias[row];
  if (t.activate) sums = apply(t.activation, sums);
  if (t.residual != nullptr)
    sums = sums + load(t.residual + panel * t.residual_stride + row * kLanes);
  store(t.y + panel * t.y_stride + row * kLanes, sums);
}

// Rows [row, row + R) for the T tokens of the last panel. Here vectors run along the weights' rows,
// so that no lane is wasted.
template <int R, int T>
void tail_tile(const LinearTask& t, int64_t row) {
  Vec sums[R][T] = {};
  const float* w = t.weight + row * t.in;
  const int64_t in = t.in, whole = in / kLanes * kLanes;
  for (int64_t k = 0; k < whole; k += kLanes) {
    Vec tokens[T];
#pragma GCC unroll 8
    for (int i = 0; i < T; ++i) tokens[i] = load(t.tail_x + i * in + k);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      const Vec weights = load(w + r * in + k);
#pragma GCC unroll 8
      for (int i = 0; i < T; ++i) sums[r][i] = fma(weights, tokens[i], sums[r][i]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
    Vec tokens = {};
#pragma GCC unroll 8
    for (int i = 0; i < T; ++i) {
      float sum = sum_of_lanes(sums[r][i]);
      for (int64_t k = whole; k < in; ++k)
        sum = fma_of_one(w[r * in + k], t.tail_x[i * in + k], sum);
      tokens[i] = sum;
    }
    finish_row(t, t.panels - 1, row + r, tokens);
  }
}

// The rows [begin, end) for the tail's tokens, whose states are in tail_x, one token after the
// other.
template <int T>
void linear_tail(const LinearTask& t, int64_t begin, int64_t end) {
  if (t.tail < T) {
    if constexpr (T > 1) linear_tail<T - 1>(t, begin, end);
    return;
  }
  constexpr int kTailRows = 2 * kRows / T < 8 ? 2 * kRows / T : 8;
  int64_t row = begin;
  for (; row + kTailRows <= end; row += kTailRows) tail_tile<kTailRows, T>(t, row);
  for (; row < end; ++row) tail_tile<1, T>(t, row);
}

inline void gather_tail(const LinearTask& t) {
  const float* x = t.x + (t.panels - 1) * t.x_stride;
  for (int64_t k = 0; k < t.in; ++k) {
    for (int64_t i = 0; i < t.tail; ++i) t.tail_x[i * t.in + k] = x[k * kLanes + i];
  }
}

// A block of rows fits in the second-level cache and stays there while all panels are multiplied.
void linear(const LinearTask& t) {
  constexpr int64_t kBlock = 8 * kRows;
  const int64_t panels = t.tail > 0 ? t.panels - 1 : t.panels;
  if (t.tail > 0) gather_tail(t);
  for (int64_t block = t.begin; block < t.end; block += kBlock) {
    const int64_t block_end = block + kBlock < t.end ? block + kBlock : t.end;
    for (int64_t panel = 0; panel < panels; panel += 2) {
      for (int64_t row = block; row < block_end; row += kRows) {
        const int64_t rows = block_end - row < kRows ? block_end - row : kRows;
        if (panel + 1 < panels) linear_rows<kRows, 2>(t, panel, row, rows);
        else linear_rows<kRows, 1>(t, panel, row, rows);
      }
    }
    if (t.tail > 0) linear_tail<kLanes / 2>(t, block, block_end);
  }
}
