// Scores of corpus rows against queries: scores.h. Sums are written with fma(), never with
// operators that the compiler may or may not fuse, so a score has the same bits in every
// instruction set that multiplies and adds in one step. Included after row_parts.inl.

template <ScoreOp op>
inline __attribute__((always_inline)) Vec add_dimension(Vec sum, Vec x, Vec y) {
  if constexpr (op == ScoreOp::kDot) return fma(x, y, sum);
  const Vec difference = x - y;
  if constexpr (op == ScoreOp::kEuclidean) return fma(difference, difference, sum);
  return sum + reinterpret_cast<Vec>(reinterpret_cast<Ints>(difference) & 0x7fffffff);
}

inline bool any_lane(Ints mask) {
  int32_t bits = 0;
  for (int i = 0; i < kLanes; ++i) bits |= mask[i];
  return bits != 0;
}

// From sums to scores; marks in `interesting` which of them the caller must look at.
template <ScoreOp op>
inline __attribute__((always_inline)) Vec score_of(Vec sum, Vec factor, Vec thresholds,
                                                   Ints& interesting) {
  Vec score = sum;
  if constexpr (op == ScoreOp::kDot) score *= factor;
  if constexpr (op == ScoreOp::kEuclidean) {
    score = root(score);
    interesting |= score < 1e-15f;
  }
  if constexpr (op != ScoreOp::kDot) score = -score;
  interesting |= score - score != 0.0f;
  interesting |= score > thresholds;
  return score;
}

// kScoreRows x (V * kLanes) scores, the sums in registers.
template <ScoreOp op, int V>
bool score_tile(const TileInput& input, float* tile) {
  constexpr int kWidth = V * kLanes;
  const float* rows[kScoreRows];
  for (int i = 0; i < kScoreRows; ++i) rows[i] = input.rows[i];
  Vec sums[kScoreRows][V] = {};
  const float* panel = input.panel;
  const int64_t d = input.d;
  for (int64_t k = 0; k < d; ++k, panel += kWidth) {
    Vec x[V];
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) x[v] = load(panel + v * kLanes);
#pragma GCC unroll 16
    for (int i = 0; i < kScoreRows; ++i) {
      const Vec y = splat(rows[i][k]);
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) sums[i][v] = add_dimension<op>(sums[i][v], x[v], y);
    }
  }
  Ints interesting = {};
  for (int i = 0; i < kScoreRows; ++i) {
    for (int v = 0; v < V; ++v) {
      store(tile + i * kWidth + v * kLanes,
            score_of<op>(sums[i][v], splat(input.factors[i]), load(input.thresholds + v * kLanes),
                         interesting));
    }
  }
  return any_lane(interesting);
}

template <int... kIndex>
struct Indices {};
template <int kCount, int... kIndex>
struct IndicesBelow : IndicesBelow<kCount - 1, kCount - 1, kIndex...> {};
template <int... kIndex>
struct IndicesBelow<0, kIndex...> : Indices<kIndex...> {};

// Exchanges, between a and b, the lanes whose numbers differ in the bit `step`. Doing it for all
// pairs of rows at distance 1, 2, 4, ... transposes.
template <int step, int... kIndex>
inline __attribute__((always_inline)) void exchange(Vec& a, Vec& b, Indices<kIndex...>) {
  const Vec low =
      __builtin_shufflevector(a, b, ((kIndex & step) == 0 ? kIndex : kLanes + kIndex - step)...);
  b = __builtin_shufflevector(a, b, ((kIndex & step) == 0 ? kIndex + step : kLanes + kIndex)...);
  a = low;
}

template <int step>
inline __attribute__((always_inline)) void transpose_from(Vec* x) {
  if constexpr (step < kLanes) {
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) {
      if ((i & step) == 0) exchange<step>(x[i], x[i + step], IndicesBelow<kLanes>());
    }
    transpose_from<2 * step>(x);
  }
}

// As many rows as a vector has lanes, against few queries. The rows are transposed in registers, so
// each is read from memory once, in whole cache lines.
template <ScoreOp op, int kQueries>
bool score_strip(const StripInput& input, float* tile) {
  const int64_t d = input.d;
  Vec sums[kQueries] = {};
  int64_t k = 0;
  for (; k + kLanes <= d; k += kLanes) {
    Vec x[kLanes];  // x[i] becomes dimension k + i of all rows
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) {
      // Prefetch the next strip in address order, so that the processor's own prefetcher joins in.
      // Prefetching beyond the corpus does no harm.
      __builtin_prefetch(input.rows + kLanes * (d + k + i), 0, 2);
      x[i] = load(input.rows + i * d + k);
    }
    transpose_from<1>(x);
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) {
      for (int q = 0; q < kQueries; ++q)
        sums[q] = add_dimension<op>(sums[q], x[i], splat(input.queries[q * d + k + i]));
    }
  }
  for (; k < d; ++k) {
    Vec x;
    for (int i = 0; i < kLanes; ++i) x[i] = input.rows[i * d + k];
    for (int q = 0; q < kQueries; ++q)
      sums[q] = add_dimension<op>(sums[q], x, splat(input.queries[q * d + k]));
  }
  Ints interesting = {};
  const Vec factors = load(input.factors);
  for (int q = 0; q < kQueries; ++q) {
    const Vec score = score_of<op>(sums[q], factors, splat(input.thresholds[q]), interesting);
    for (int i = 0; i < kLanes; ++i) tile[i * kQueries + q] = score[i];
  }
  return any_lane(interesting);
}

template <ScoreOp op>
bool score_strip_of(const StripInput& input, float* tile) {
  switch (input.count) {
    case 1: return score_strip<op, 1>(input, tile);
    case 2: return score_strip<op, 2>(input, tile);
    case 3: return score_strip<op, 3>(input, tile);
    default: return score_strip<op, 4>(input, tile);
  }
}

// Always 16 sums, so that every set adds in the same order.
float row_sum_of_squares(const float* values, int64_t d) {
  constexpr int kSums = 16, kVectors = kSums / kLanes;
  Vec sums[kVectors] = {};
  int64_t k = 0;
  for (; k + kSums <= d; k += kSums) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const Vec x = load(values + k + v * kLanes);
      sums[v] = fma(x, x, sums[v]);
    }
  }
  float total = 0;
  for (; k < d; ++k) total = fma_of_one(values[k], values[k], total);
  for (int i = 0; i < kSums; ++i) total += sums[i / kLanes][i % kLanes];
  return total;
}

static_assert(kScoreRows <= kMaxTileRows && 2 * kLanes <= kMaxTileLanes);
