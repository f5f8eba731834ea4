#include "core/retrieval/score_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace contrastive::retrieval {
namespace {

constexpr int64_t kPassBytes = int64_t{640} << 10;

TileOp op_of(Metric metric) {
  switch (metric) {
    case Metric::kEuclidean: return TileOp::kEuclidean;
    case Metric::kManhattan: return TileOp::kManhattan;
    default: return TileOp::kDot;
  }
}

// 1 / |row|; 0 for a zero row; NaN, which sends the scores to the computation in double, where the float32 sum of squares cannot be trusted.
float cosine_factor(const float* row, int64_t d) {
  const float squares = tile_kernels().sum_of_squares(row, d);
  if (squares > 1e-25f && squares < 1e30f) return 1.0f / std::sqrt(squares);
  const bool zero = std::all_of(row, row + d, [](float x) { return x == 0; });
  return zero ? 0.0f : std::numeric_limits<float>::quiet_NaN();
}

// A few corpus rows, as the kernel takes them. A last, incomplete group repeats its last row.
struct Group {
  const float* rows[kMaxTileRows];
  float factors[kMaxTileRows];
  int64_t first, count;

  Group(const ScoreInput& input, int64_t first_row, int64_t last_row) : first(first_row), count(last_row - first_row) {
    for (int64_t i = 0; i < tile_kernels().rows; ++i) {
      rows[i] = input.corpus + (first + std::min(i, count - 1)) * input.d;
      factors[i] = input.metric == Metric::kCosine ? cosine_factor(rows[i], input.d) : 1.0f;
    }
  }
};

void repair(const ScoreInput& input, const Panel& panel, const Group& group, TileOp op, float* tile) {
  for (int64_t i = 0; i < group.count; ++i) {
    for (int64_t lane = 0; lane < panel.queries; ++lane) {
      float& score = tile[i * panel.lanes + lane];
      if (needs_double(op, score)) pairwise_similarity(input.queries + (panel.first + lane) * input.d, group.rows[i], 1, input.d, input.metric, &score);
    }
  }
}

}  // namespace

int64_t panels_per_pass(int64_t d) { return std::max<int64_t>(1, kPassBytes / (2 * tile_kernels().lanes * std::max<int64_t>(d, 1) * 4)); }

void score_rows(const ScoreInput& input, int64_t first_panel, int64_t last_panel, int64_t begin, int64_t end,
                const std::function<void(const Tile&)>& on_tile) {
  const TileKernels& kernels = tile_kernels();
  const TileOp op = op_of(input.metric);
  const int64_t pass = panels_per_pass(input.d);
  alignas(64) float tile[kMaxTileRows * kMaxTileLanes];
  for (int64_t from = first_panel; from < last_panel; from += pass) {
    const int64_t to = std::min(from + pass, last_panel);
    for (int64_t row = begin; row < end; row += kernels.rows) {
      const Group group(input, row, std::min(row + kernels.rows, end));
      for (int64_t i = from; i < to; ++i) {
        const Panel panel = input.panels.panel(i);
        const TileFunction compute = (panel.wide ? kernels.wide : kernels.narrow)[static_cast<int>(op)];
        const bool interesting = compute({group.rows, input.panels.data(panel), input.d, group.factors, input.thresholds + panel.first}, tile);
        if (interesting) repair(input, panel, group, op, tile);
        on_tile({panel.first, panel.queries, group.first, group.count, panel.lanes, tile, interesting});
      }
    }
  }
}

}  // namespace contrastive::retrieval
