// The tile kernel as a template on GCC's and Clang's vector types, compiled once for each instruction set (score_tile_*.cpp).
// Everything is in an anonymous namespace and no header with inline functions may be included: code compiled for one processor must not
// be picked by the linker for another.
#pragma once

#include <stdint.h>

#include "core/retrieval/score_tile.h"

namespace contrastive::retrieval {
namespace {

template <int kBytes>
struct Vector {
  typedef float Float __attribute__((vector_size(kBytes), aligned(4), may_alias));
  typedef int32_t Int __attribute__((vector_size(kBytes), aligned(4), may_alias));
  static constexpr int kLanes = kBytes / 4;
  // Floats in memory of any alignment, as vector number `index`.
  static const Float& at(const float* from, int index) { return *reinterpret_cast<const Float*>(from + index * kLanes); }
  static Float& at(float* to, int index) { return *reinterpret_cast<Float*>(to + index * kLanes); }
};

template <TileOp op, class V>
inline __attribute__((always_inline)) void accumulate(typename V::Float& sum, const typename V::Float& x, float y) {
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

// kRows x (kVectors * lanes) scores. The sums live in registers: kRows * kVectors of them, which must leave room for the panel's vectors.
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
    for (int v = 0; v < kVectors; ++v) x[v] = V::at(panel, v);
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
      Float score = sums[i][v];
      if constexpr (op == TileOp::kDot) score *= input.factors[i];
      if constexpr (op == TileOp::kEuclidean) {
        for (int lane = 0; lane < V::kLanes; ++lane) score[lane] = __builtin_sqrtf(score[lane]);
        interesting |= score < 1e-15f;
      }
      if constexpr (op != TileOp::kDot) score = -score;
      interesting |= score - score != 0.0f;
      interesting |= score > V::at(input.thresholds, v);
      V::at(tile + i * kWidth, v) = score;
    }
  }
  return any<V>(interesting);
}

// Always 16 lanes, so that every instruction set adds in the same order.
inline float sum_of_squares_of(const float* values, int64_t d) {
  using V = Vector<64>;
  typename V::Float sums = {};
  int64_t k = 0;
  for (; k + V::kLanes <= d; k += V::kLanes) {
    const typename V::Float x = V::at(values + k, 0);
    sums += x * x;
  }
  float total = 0;
  for (; k < d; ++k) total += values[k] * values[k];
  for (int i = 0; i < V::kLanes; ++i) total += sums[i];
  return total;
}

template <int kBytes, int kRows, int kVectors>
constexpr TileKernels kernels_of() {
  static_assert(kRows <= kMaxTileRows && kVectors * Vector<kBytes>::kLanes <= kMaxTileLanes);
  return {kRows,
          Vector<kBytes>::kLanes,
          {score_tile<TileOp::kDot, kBytes, kRows, 1>, score_tile<TileOp::kEuclidean, kBytes, kRows, 1>, score_tile<TileOp::kManhattan, kBytes, kRows, 1>},
          {score_tile<TileOp::kDot, kBytes, kRows, kVectors>, score_tile<TileOp::kEuclidean, kBytes, kRows, kVectors>,
           score_tile<TileOp::kManhattan, kBytes, kRows, kVectors>},
          sum_of_squares_of};
}

}  // namespace
}  // namespace contrastive::retrieval
