// The kernels of similarity and search: scores of a few corpus rows against one panel of queries,
// all kept in registers. Metrics, top-k lists and threads are in core/retrieval.
//
// A score is summed over the dimensions in order, in one chain of fused multiply-adds, whatever its
// tile. So it depends on its two vectors only: it is the same in a batch and alone, for every
// thread count, and on every processor with fused multiply-add.
#pragma once

#include <cstdint>

namespace contrastive::cpu {

constexpr int64_t kMaxTileRows = 14;
constexpr int64_t kMaxTileLanes = 32;

// The term of each dimension, for a query's x and a row's y, and the score made of the sum.
enum class ScoreOp {
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

// For a few queries, where most of the time is spent reading rows: a strip of as many consecutive
// rows as a vector has lanes.
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

struct ScoreKernels {
  const char* name;  // of the instruction set
  int64_t rows;      // of a tile
  int64_t lanes;     // of a narrow panel, and rows of a strip; a wide panel has twice as many
  TileFunction narrow[3], wide[3];  // by ScoreOp
  StripFunction strip[3];
  float (*sum_of_squares)(const float* values, int64_t d);
};

// True if float32 is not enough: an intermediate result overflowed, or the squares of a distance
// underflowed. Such scores are computed again in double.
inline bool needs_double(ScoreOp op, float score) {
  if (!(score - score == 0.0f)) return true;  // infinite or NaN
  return op == ScoreOp::kEuclidean && score > -1e-15f;
}

}  // namespace contrastive::cpu
