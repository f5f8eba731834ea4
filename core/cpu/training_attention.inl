// Attention of one text and head on rows, forward and backward. The probabilities are not kept: the
// backward pass computes them again from the logarithms of their sums. Included after
// training_rows.inl.

// c = a b for R rows and W vectors: a(i, k) is at a[i * a_row + k * a_step].
template <int R, int W, bool kAdd>
void product_tile(const float* a, int64_t a_row, int64_t a_step, const float* b, int64_t b_row,
                  int64_t depth, float* c, int64_t c_row) {
  Vec sums[R][W];
  for (int r = 0; r < R; ++r) {
    for (int w = 0; w < W; ++w) sums[r][w] = kAdd ? load(c + r * c_row + w * kLanes) : Vec{};
  }
  for (int64_t k = 0; k < depth; ++k) {
    Vec columns[W];
#pragma GCC unroll 2
    for (int w = 0; w < W; ++w) columns[w] = load(b + k * b_row + w * kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      const Vec value = splat(a[r * a_row + k * a_step]);
#pragma GCC unroll 2
      for (int w = 0; w < W; ++w) sums[r][w] = fma(value, columns[w], sums[r][w]);
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int w = 0; w < W; ++w) store(c + r * c_row + w * kLanes, sums[r][w]);
  }
}

template <int R, bool kAdd>
void product_rows(const float* a, int64_t a_row, int64_t a_step, const float* b, int64_t b_row,
                  int64_t depth, float* c, int64_t c_row, int64_t rows, int64_t columns) {
  if constexpr (R > 1) {
    if (rows < R)
      return product_rows<R - 1, kAdd>(a, a_row, a_step, b, b_row, depth, c, c_row, rows, columns);
  }
  int64_t column = 0;
  for (; column + 2 * kLanes <= columns; column += 2 * kLanes) {
    product_tile<R, 2, kAdd>(a, a_row, a_step, b + column, b_row, depth, c + column, c_row);
  }
  if (column < columns)
    product_tile<R, 1, kAdd>(a, a_row, a_step, b + column, b_row, depth, c + column, c_row);
}

// c [rows][columns] = a b, or += with kAdd. `columns` is a multiple of kLanes.
template <bool kAdd>
void small_product(const float* a, int64_t a_row, int64_t a_step, const float* b, int64_t b_row,
                   int64_t depth, float* c, int64_t c_row, int64_t rows, int64_t columns) {
  constexpr int kMost = kLanes >= 16 ? 8 : 4;
  for (int64_t row = 0; row < rows; row += kMost) {
    const int64_t some = rows - row < kMost ? rows - row : kMost;
    product_rows<kMost, kAdd>(a + row * a_row, a_row, a_step, b, b_row, depth, c + row * c_row,
                              c_row, some, columns);
  }
}

inline int64_t padded(int64_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

// The operands of one text and head in the order that the products need.
struct HeadOperands {
  const TextAttentionTask& t;
  int64_t keys, columns;       // length and width, padded
  float *q, *k, *v;            // [length][columns], biases added, q scaled
  float *k_turned, *v_turned;  // [width][keys]
  float* rest;
  float scale;

  explicit HeadOperands(const TextAttentionTask& task)
      : t(task), keys(padded(task.length)), columns(padded(task.width)) {
    scale = static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(t.width)));
    q = t.scratch;
    k = q + t.length * columns;
    v = k + t.length * columns;
    k_turned = v + t.length * columns;
    v_turned = k_turned + columns * keys;
    rest = v_turned + columns * keys;
    take(t.q, t.q_bias, scale, q);
    take(t.k, t.k_bias, 1, k);
    take(t.v, t.v_bias, 1, v);
    turn(k, k_turned);
  }

  void take(const float* from, const float* bias, float factor, float* to) const {
    for (int64_t row = 0; row < t.length; ++row) {
      for (int64_t i = 0; i < columns; i += kLanes) {
        const int64_t n = part(i, t.width);
        store(to + row * columns + i,
              (load_part(from + row * t.stride + i, n) + load_part(bias + i, n)) * factor);
      }
    }
  }

  void turn(const float* rows, float* turned) const {
    for (int64_t i = 0; i < t.width; ++i) {
      float* to = turned + i * keys;
      for (int64_t row = 0; row < t.length; ++row) to[row] = rows[row * columns + i];
      for (int64_t row = t.length; row < keys; ++row) to[row] = 0.0f;
    }
  }
};

// The mask bits of the query's probabilities from key `j` on.
inline uint64_t probability_bits(const TextAttentionTask& t, int64_t query, int64_t j) {
  const uint64_t* row = t.mask.bits + query * t.mask.words;
  const int64_t bit = t.first_bit + j, shift = bit % 64;
  const uint64_t low = row[bit / 64] >> shift;
  return shift + kLanes <= 64 ? low : low | (row[bit / 64 + 1] << (64 - shift));
}

void attention_of_text(const TextAttentionTask& t) {
  const HeadOperands head(t);
  float* scores = head.rest;
  float* out = scores + kAttentionQueries * head.keys;
  for (int64_t first = 0; first < t.length; first += kAttentionQueries) {
    const int64_t rows =
        t.length - first < kAttentionQueries ? t.length - first : kAttentionQueries;
    small_product<false>(head.q + first * head.columns, head.columns, 1, head.k_turned, head.keys,
                         t.width, scores, head.keys, rows, head.keys);
    for (int64_t row = 0; row < rows; ++row) {
      float* s = scores + row * head.keys;
      float largest = s[0];
      Vec most = splat(largest);
      const int64_t whole = t.length / kLanes * kLanes;
      for (int64_t j = 0; j < whole; j += kLanes) most = larger(most, load(s + j));
      for (int lane = 0; lane < kLanes; ++lane)
        largest = most[lane] > largest ? most[lane] : largest;
      for (int64_t j = whole; j < t.length; ++j) largest = s[j] > largest ? s[j] : largest;
      Vec sum{};
      for (int64_t j = 0; j < head.keys; j += kLanes) {
        const Vec e = trim(exponential(load(s + j) - largest), part(j, t.length));
        sum += e;
        store(s + j, e);
      }
      const float total = sum_of_lanes(sum);
      t.log_sums[first + row] = largest + __builtin_logf(total);
      const float factor = t.mask.scale / total;
      for (int64_t j = 0; j < head.keys; j += kLanes) {
        const Vec e = load(s + j) * factor;
        store(s + j, t.mask.bits == nullptr ? e : keep(e, probability_bits(t, first + row, j)));
      }
    }
    small_product<false>(scores, head.keys, 1, head.v, head.columns, t.length, out, head.columns,
                         rows, head.columns);
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t i = 0; i < t.width; i += kLanes) {
        store_part(t.out + (first + row) * t.out_stride + i, load(out + row * head.columns + i),
                   part(i, t.width));
      }
    }
  }
}

inline void put(const HeadOperands& head, const float* rows, int64_t first, int64_t count,
                float factor, float* to) {
  for (int64_t row = 0; row < count; ++row) {
    for (int64_t i = 0; i < head.t.width; i += kLanes) {
      store_part(to + (first + row) * head.t.stride + i,
                 load(rows + row * head.columns + i) * factor, part(i, head.t.width));
    }
  }
}

// One query: turns scores and the gradient of the dropped probabilities into the dropped
// probabilities and the gradient of the scores.
inline void soften_backward(const TextAttentionTask& t, int64_t query, int64_t keys, float* scores,
                            float* grads) {
  const float log_sum = t.log_sums[query];
  const bool all = t.mask.bits == nullptr;
  Vec products{};
  for (int64_t j = 0; j < keys; j += kLanes) {
    const Vec p = trim(exponential(load(scores + j) - log_sum), part(j, t.length));
    Vec g = load(grads + j);
    if (!all) g = keep(g, probability_bits(t, query, j)) * t.mask.scale;
    products = fma(p, g, products);
    store(scores + j, p);
    store(grads + j, g);
  }
  const float mean = sum_of_lanes(products);
  for (int64_t j = 0; j < keys; j += kLanes) {
    const Vec p = load(scores + j);
    store(grads + j, p * (load(grads + j) - mean));
    if (!all) store(scores + j, keep(p, probability_bits(t, query, j)) * t.mask.scale);
  }
}

void attention_backward_of_text(const TextAttentionTask& t) {
  const HeadOperands head(t);
  head.turn(head.v, head.v_turned);
  const int64_t block = t.length * head.columns;
  float* grad_out = head.rest;
  float* grad_k = grad_out + block;
  float* grad_v = grad_k + block;
  float* scores = grad_v + block;
  float* grads = scores + kAttentionQueries * head.keys;
  float* grad_q = grads + kAttentionQueries * head.keys;
  for (int64_t i = 0; i < 2 * block; ++i) grad_k[i] = 0.0f;
  for (int64_t row = 0; row < t.length; ++row) {
    for (int64_t i = 0; i < head.columns; i += kLanes) {
      store(grad_out + row * head.columns + i,
            load_part(t.grad_out + row * t.out_stride + i, part(i, t.width)));
    }
  }
  for (int64_t first = 0; first < t.length; first += kAttentionQueries) {
    const int64_t rows =
        t.length - first < kAttentionQueries ? t.length - first : kAttentionQueries;
    const float* q = head.q + first * head.columns;
    const float* out = grad_out + first * head.columns;
    small_product<false>(q, head.columns, 1, head.k_turned, head.keys, t.width, scores, head.keys,
                         rows, head.keys);
    small_product<false>(out, head.columns, 1, head.v_turned, head.keys, t.width, grads, head.keys,
                         rows, head.keys);
    for (int64_t row = 0; row < rows; ++row)
      soften_backward(t, first + row, head.keys, scores + row * head.keys, grads + row * head.keys);
    small_product<true>(scores, 1, head.keys, out, head.columns, rows, grad_v, head.columns,
                        t.length, head.columns);
    small_product<true>(grads, 1, head.keys, q, head.columns, rows, grad_k, head.columns, t.length,
                        head.columns);
    small_product<false>(grads, head.keys, 1, head.k, head.columns, t.length, grad_q, head.columns,
                         rows, head.columns);
    put(head, grad_q, first, rows, head.scale, t.grad_q);
  }
  put(head, grad_k, 0, t.length, 1, t.grad_k);
  put(head, grad_v, 0, t.length, 1, t.grad_v);
}
