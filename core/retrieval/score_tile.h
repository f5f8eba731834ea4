// The innermost part of similarity and search: scores of a few corpus rows against one panel of
// queries, all kept in registers. Nothing is known here of metrics, top-k lists or threads.
//
// A score is summed over the dimensions in order, in one chain of fused multiply-adds, whatever the
// tile it falls in. So it depends on its two vectors alone: the same in a batch and on its own, for
// every thread count, and on every processor with fused multiply-add.
#pragma once

#include <cstdint>

namespace contrastive::retrieval {

constexpr int64_t kMaxTileRows = 14;
constexpr int64_t kMaxTileLanes = 32;

// What is summed over the dimensions, for a query's x and a row's y, and what becomes of the sum.
enum class TileOp {
  kDot,        // x y                  -> sum * factor
  kEuclidean,  // (x - y)^2            -> -sqrt(sum)
  kManhattan,  // |x - y|              -> -sum
};

struct TileInput {
  const float* const* rows;  // [kernel's rows] pointers to d floats each
  const float* panel;        // [d, lanes] queries side by side
  int64_t d;
  const float* factors;     // [kernel's rows] for kDot
  const float* thresholds;  // [lanes]
};

// Fills tile [rows, lanes]; true when a score is above its lane's threshold or not a finite,
// accurate number (see needs_double).
using TileFunction = bool (*)(const TileInput& input, float* tile);

// For a few queries, where reading the rows is the work: a strip of as many consecutive rows as a
// vector has lanes.
struct StripInput {
  const float* rows;     // [lanes, d]
  const float* queries;  // [count, d]
  int64_t d;
  int64_t count;            // 1 to kMaxStripQueries
  const float* factors;     // [lanes] for kDot
  const float* thresholds;  // [count]
};
constexpr int64_t kMaxStripQueries = 4;

// Fills tile [lanes, count], with the same scores bit by bit.
using StripFunction = bool (*)(const StripInput& input, float* tile);

struct TileKernels {
  int64_t rows;   // of a tile
  int64_t lanes;  // of a narrow panel, and rows of a strip; a wide panel has twice as many
  TileFunction narrow[3], wide[3];  // by TileOp
  StripFunction strip[3];
  float (*sum_of_squares)(const float* values, int64_t d);
};

// The best of this processor's, chosen once.
const TileKernels& tile_kernels();

// What an x86-64 processor and its system offer of the instructions that the sets are compiled
// with.
struct TileFeatures {
  bool fma = false, avx2 = false, avx512f = false, avx512vl = false;
};
// The best set for such a processor. Other architectures ignore the features.
const TileKernels& tile_kernels_for(const TileFeatures& features);

// One set for each instruction set that was compiled; null where it was not.
const TileKernels* tile_kernels_avx512();
const TileKernels* tile_kernels_avx2();
const TileKernels* tile_kernels_neon();
const TileKernels& tile_kernels_portable();

// Where float32 did not do: an overflow on the way, or a distance whose squares vanish. Such scores
// are computed again in double.
inline bool needs_double(TileOp op, float score) {
  if (!(score - score == 0.0f)) return true;  // infinite or NaN
  return op == TileOp::kEuclidean && score > -1e-15f;
}

}  // namespace contrastive::retrieval
