// row_products() and weight_gradient() of training.h. A tile of sums stays in registers; every sum
// adds its terms in one order, whatever the tile. Included after row_parts.inl.

// y of R rows and O outputs.
template <int R, int O>
void row_products_tile(const RowProductsTask& t, int64_t row, int64_t output) {
  Vec sums[R][O] = {};
  const float* weight = t.weight + output * t.in;
  for (int64_t i = 0; i < t.in; i += kLanes) {
    const int64_t n = part(i, t.in);
    Vec x[R];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) x[r] = load_part(t.x[row + r] + i, n);
#pragma GCC unroll 4
    for (int o = 0; o < O; ++o) {
      const Vec w = load_part(weight + o * t.in + i, n);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) sums[r][o] = fma(x[r], w, sums[r][o]);
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int o = 0; o < O; ++o)
      t.y[(row + r) * t.out + output + o] = sum_of_lanes(sums[r][o]) + t.bias[output + o];
  }
}

template <int O>
void row_products_of(const RowProductsTask& t, int64_t output) {
  constexpr int kTile = O > 2 ? 2 : 4;
  int64_t row = 0;
  for (; row + kTile <= t.rows; row += kTile) row_products_tile<kTile, O>(t, row, output);
  for (; row < t.rows; ++row) row_products_tile<1, O>(t, row, output);
}

void row_products(const RowProductsTask& t) {
  int64_t output = 0;
  for (; output + 4 <= t.out; output += 4) row_products_of<4>(t, output);
  if (t.out - output == 3) row_products_of<3>(t, output);
  if (t.out - output == 2) row_products_of<2>(t, output);
  if (t.out - output == 1) row_products_of<1>(t, output);
}

// The gradient of O outputs' weights for V vectors of inputs from `in` on. The last vector may be
// partial.
template <int O, int V>
void weight_gradient_tile(const WeightGradientTask& t, int64_t output, int64_t in) {
  Vec sums[O][V] = {};
  int64_t n[V];
  for (int v = 0; v < V; ++v) n[v] = part(in + v * kLanes, t.in);
  for (int64_t row = 0; row < t.rows; ++row) {
    const float* grad = t.grad_y + row * t.out + output;
    Vec x[V];
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) x[v] = load_part(t.x[row] + in + v * kLanes, n[v]);
#pragma GCC unroll 4
    for (int o = 0; o < O; ++o) {
      const Vec g = splat(grad[o]);
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) sums[o][v] = fma(g, x[v], sums[o][v]);
    }
  }
  for (int o = 0; o < O; ++o) {
    for (int v = 0; v < V; ++v)
      store_part(t.grad_weight + (output + o) * t.in + in + v * kLanes, sums[o][v], n[v]);
  }
}

template <int O>
void weight_gradient_of(const WeightGradientTask& t, int64_t output) {
  constexpr int kTile = O > 2 ? 2 : 4;
  int64_t in = 0;
  for (; in + kTile * kLanes <= t.in; in += kTile * kLanes)
    weight_gradient_tile<O, kTile>(t, output, in);
  for (; in < t.in; in += kLanes) weight_gradient_tile<O, 1>(t, output, in);
}

void weight_gradient(const WeightGradientTask& t) {
  int64_t output = 0;
  for (; output + 4 <= t.out; output += 4) weight_gradient_of<4>(t, output);
  if (t.out - output == 3) weight_gradient_of<3>(t, output);
  if (t.out - output == 2) weight_gradient_of<2>(t, output);
  if (t.out - output == 1) weight_gradient_of<1>(t, output);
}
