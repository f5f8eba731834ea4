// The tile kernel as a template on GCC's and Clang's vector types, compiled once for each
// instruction set (score_tile_*.cpp). Everything is in an anonymous namespace and no header with
// inline functions may be included: code compiled for one processor must not be picked by the
// linker for another.
#pragma once

#include <stdint.h>

#include "core/retrieval/score_tile.h"

namespace contrastive::retrieval {
namespace {

template <int... kIndex>
struct Indices {};

// Floats in memory of any alignment. Written out for each width: Clang forgets an alignment that
// stands in a template.
template <int kBytes>
struct VectorTypes;
template <>
struct VectorTypes<16> {
  typedef float Float __attribute__((vector_size(16), aligned(4), may_alias));
  typedef int32_t Int __attribute__((vector_size(16), aligned(4), may_alias));
  using All = Indices<0, 1, 2, 3>;
};
template <>
struct VectorTypes<32> {
  typedef float Float __attribute__((vector_size(32), aligned(4), may_alias));
  typedef int32_t Int __attribute__((vector_size(32), aligned(4), may_alias));
  using All = Indices<0, 1, 2, 3, 4, 5, 6, 7>;
};
template <>
struct VectorTypes<64> {
  typedef float Float __attribute__((vector_size(64), aligned(4), may_alias));
  typedef int32_t Int __attribute__((vector_size(64), aligned(4), may_alias));
  using All = Indices<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15>;
};

template <int kBytes>
struct Vector : VectorTypes<kBytes> {
  using Float = typename VectorTypes<kBytes>::Float;
  static constexpr int kLanes = kBytes / 4;
  // Vector number `index`, of any alignment: Clang takes a reference to it to be aligned.
  static void load(const float* from, int index, Float& x) {
    __builtin_memcpy(&x, from + index * kLanes, sizeof(x));
  }
  static void store(const Float& x, float* to, int index) {
    __builtin_memcpy(to + index * kLanes, &x, sizeof(x));
  }
};

template <TileOp op, class V>
inline __attribute__((always_inline)) void accumulate(typename V::Float& sum,
                                                      const typename V::Float& x, float y) {
  if constexpr (op == TileOp::kDot) {
    sum += x * y;
  } else {
    const typename V::Float difference = x - y;
    if constexpr (op == TileOp::kEuclidean) {
      sum += difference * difference;
    } else {
      sum += (typename V::Float)((typename V::Int)difference & 0x7fffffff);
    }
  }
}

// All bits of `mask` or-ed together.
template <class V>
inline __attribute__((always_inline)) bool any(const typename V::Int& mask) {
  int32_t bits = 0;
  for (int i = 0; i < V::kLanes; ++i) bits |= mask[i];
  return bits != 0;
}

// From sums to scores; notes in `interesting` which of them the caller must look at.
template <TileOp op, class V>
inline __attribute__((always_inline)) typename V::Float finish(const typename V::Float& sum,
                                                               const typename V::Float& factor,
                                                               const typename V::Float& thresholds,
                                                               typename V::Int& interesting) {
  typename V::Float score = sum;
  if constexpr (op == TileOp::kDot) score *= factor;
  if constexpr (op == TileOp::kEuclidean) {
    for (int lane = 0; lane < V::kLanes; ++lane) score[lane] = __builtin_sqrtf(score[lane]);
    interesting |= score < 1e-15f;
  }
  if constexpr (op != TileOp::kDot) score = -score;
  interesting |= score - score != 0.0f;
  interesting |= score > thresholds;
  return score;
}

// kRows x (kVectors * lanes) scores. The sums live in registers: kRows * kVectors of them, which
// must leave room for the panel's vectors.
template <TileOp op, int kBytes, int kRows, int kVectors>
bool score_tile(const TileInput& input, float* tile) {
  using V = Vector<kBytes>;
  using Float = typename V::Float;
  constexpr int kWidth = V::kLanes * kVectors;
  const float* rows[kRows];
  for (int i = 0; i < kRows; ++i) rows[i] = input.rows[i];
  Float sums[kRows][kVectors] = {};
  const float* panel = input.panel;
  const int64_t d = input.d;
  for (int64_t k = 0; k < d; ++k, panel += kWidth) {
    Float x[kVectors];
    for (int v = 0; v < kVectors; ++v) V::load(panel, v, x[v]);
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      const float y = rows[i][k];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) accumulate<op, V>(sums[i][v], x[v], y);
    }
  }
  typename V::Int interesting = {};
  for (int i = 0; i < kRows; ++i) {
    for (int v = 0; v < kVectors; ++v) {
      Float thresholds;
      V::load(input.thresholds, v, thresholds);
      V::store(finish<op, V>(sums[i][v], Float{} + input.factors[i], thresholds, interesting),
               tile + i * kWidth, v);
    }
  }
  return any<V>(interesting);
}

// Exchanges, between a and b, the lanes whose numbers differ in the bit `step`. Doing it for all
// pairs of rows at distance 1, 2, 4, ... transposes.
template <int step, class Float, int... kIndex>
inline __attribute__((always_inline)) void exchange(Float& a, Float& b, Indices<kIndex...>) {
  constexpr int kLanes = sizeof...(kIndex);
  const Float low =
      __builtin_shufflevector(a, b, ((kIndex & step) == 0 ? kIndex : kLanes + kIndex - step)...);
  b = __builtin_shufflevector(a, b, ((kIndex & step) == 0 ? kIndex + step : kLanes + kIndex)...);
  a = low;
}

template <int step, int kBytes, class Float>
inline __attribute__((always_inline)) void transpose_from(Float* x) {
  constexpr int kLanes = Vector<kBytes>::kLanes;
  if constexpr (step < kLanes) {
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) {
      if ((i & step) == 0) exchange<step>(x[i], x[i + step], typename VectorTypes<kBytes>::All());
    }
    transpose_from<2 * step, kBytes>(x);
  }
}

// As many rows as a vector has lanes, against few queries: the rows are turned in registers, so
// that each is read from memory once, in whole lines.
template <TileOp op, int kBytes, int kQueries>
bool score_strip(const StripInput& input, float* tile) {
  using V = Vector<kBytes>;
  using Float = typename V::Float;
  constexpr int kLanes = V::kLanes;
  const int64_t d = input.d;
  Float sums[kQueries] = {};
  int64_t k = 0;
  for (; k + kLanes <= d; k += kLanes) {
    Float x[kLanes];  // x[i] becomes dimension k + i of all rows
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) {
      // The next strip, in the order of addresses: that is what the processor's own prefetcher
      // joins in. Beyond the corpus it does no harm.
      __builtin_prefetch(input.rows + kLanes * (d + k + i), 0, 2);
      V::load(input.rows + i * d + k, 0, x[i]);
    }
    transpose_from<1, kBytes>(x);
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) {
      for (int q = 0; q < kQueries; ++q)
        accumulate<op, V>(sums[q], x[i], input.queries[q * d + k + i]);
    }
  }
  for (; k < d; ++k) {
    Float x;
    for (int i = 0; i < kLanes; ++i) x[i] = input.rows[i * d + k];
    for (int q = 0; q < kQueries; ++q) accumulate<op, V>(sums[q], x, input.queries[q * d + k]);
  }
  typename V::Int interesting = {};
  Float factors;
  V::load(input.factors, 0, factors);
  for (int q = 0; q < kQueries; ++q) {
    const Float thresholds = Float{} + input.thresholds[q];
    const Float score = finish<op, V>(sums[q], factors, thresholds, interesting);
    for (int i = 0; i < kLanes; ++i) tile[i * kQueries + q] = score[i];
  }
  return any<V>(interesting);
}

template <TileOp op, int kBytes>
bool score_strip_of(const StripInput& input, float* tile) {
  switch (input.count) {
    case 1: return score_strip<op, kBytes, 1>(input, tile);
    case 2: return score_strip<op, kBytes, 2>(input, tile);
    case 3: return score_strip<op, kBytes, 3>(input, tile);
    default: return score_strip<op, kBytes, 4>(input, tile);
  }
}

// a * b + c, rounded once where the instruction set can. Written as an operator, it would be left
// to the compiler, which vectorises a loop's products and then does not fuse them with the sum.
inline float multiply_add(float a, float b, float c) {
#if defined(__FP_FAST_FMAF)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

// Always 16 lanes, so that every instruction set adds in the same order.
inline float sum_of_squares_of(const float* values, int64_t d) {
  using V = Vector<64>;
  typename V::Float sums = {};
  int64_t k = 0;
  for (; k + V::kLanes <= d; k += V::kLanes) {
    typename V::Float x;
    V::load(values + k, 0, x);
    sums += x * x;
  }
  float total = 0;
  for (; k < d; ++k) total = multiply_add(values[k], values[k], total);
  for (int i = 0; i < V::kLanes; ++i) total += sums[i];
  return total;
}

template <int kBytes, int kRows, int kVectors>
constexpr TileKernels kernels_of() {
  static_assert(kRows <= kMaxTileRows && kVectors * Vector<kBytes>::kLanes <= kMaxTileLanes);
  return {kRows,
          Vector<kBytes>::kLanes,
          {score_tile<TileOp::kDot, kBytes, kRows, 1>,
           score_tile<TileOp::kEuclidean, kBytes, kRows, 1>,
           score_tile<TileOp::kManhattan, kBytes, kRows, 1>},
          {score_tile<TileOp::kDot, kBytes, kRows, kVectors>,
           score_tile<TileOp::kEuclidean, kBytes, kRows, kVectors>,
           score_tile<TileOp::kManhattan, kBytes, kRows, kVectors>},
          {score_strip_of<TileOp::kDot, kBytes>, score_strip_of<TileOp::kEuclidean, kBytes>,
           score_strip_of<TileOp::kManhattan, kBytes>},
          sum_of_squares_of};
}

}  // namespace
}  // namespace contrastive::retrieval
