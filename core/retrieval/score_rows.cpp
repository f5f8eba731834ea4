#include "core/retrieval/score_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/cpu/kernels.h"

namespace contrastive::retrieval {
namespace {

constexpr int64_t kPassBytes = int64_t{640} << 10;

cpu::ScoreOp op_of(Metric metric) {
  switch (metric) {
    case Metric::kEuclidean: return cpu::ScoreOp::kEuclidean;
    case Metric::kManhattan: return cpu::ScoreOp::kManhattan;
    case Metric::kCosine:
    case Metric::kDot: return cpu::ScoreOp::kDot;
  }
  fail(Status::kInternal, "an unknown metric");
}

// 1 / |row|; 0 for a zero row; NaN, which sends the scores to the computation in double, where the
// float32 sum of squares cannot be trusted.
float cosine_factor(const float* row, int64_t d) {
  const float squares = cpu::kernels().scores->sum_of_squares(row, d);
  if (squares > 1e-25f && squares < 1e30f) return 1.0f / std::sqrt(squares);
  const bool zero = std::all_of(row, row + d, [](float x) { return x == 0; });
  return zero ? 0.0f : std::numeric_limits<float>::quiet_NaN();
}

float factor_of(const ScoreInput& input, const float* row) {
  return input.metric == Metric::kCosine ? cosine_factor(row, input.d) : 1.0f;
}

// A few corpus rows, as the kernel takes them. A last, incomplete group repeats its last row.
struct Group {
  const float* rows[cpu::kMaxTileRows];
  float factors[cpu::kMaxTileRows];
  int64_t first, count;

  Group(const ScoreInput& input, int64_t first_row, int64_t last_row)
      : first(first_row), count(last_row - first_row) {
    for (int64_t i = 0; i < cpu::kernels().scores->rows; ++i) {
      rows[i] = input.corpus + (first + std::min(i, count - 1)) * input.d;
      factors[i] = factor_of(input, rows[i]);
    }
  }
};

// Computes scores again in double that float32 could not represent.
void repair(const ScoreInput& input, cpu::ScoreOp op, const Tile& tile, float* scores) {
  for (int64_t i = 0; i < tile.rows; ++i) {
    for (int64_t lane = 0; lane < tile.queries; ++lane) {
      float& score = scores[i * tile.lanes + lane];
      if (!cpu::needs_double(op, score)) continue;
      const float *query = input.queries + (tile.first_query + lane) * input.d,
                  *row = input.corpus + (tile.first_row + i) * input.d;
      pairwise_similarity(query, row, 1, input.d, input.metric, &score);
    }
  }
}

// Prefetches some of the floats from `from` on, in the order of addresses, so that the processor's
// own prefetcher continues.
void prefetch(const float* from, const float* end) {
  constexpr int64_t kLine = 16;
  for (; from < end; from += kLine) __builtin_prefetch(from);
}

void score_tiles(const ScoreInput& input, int64_t first_panel, int64_t last_panel, int64_t begin,
                 int64_t end, const TileCallback& on_tile) {
  const cpu::ScoreKernels& kernels = *cpu::kernels().scores;
  const cpu::ScoreOp op = op_of(input.metric);
  const int64_t share =
      (kernels.rows * input.d + last_panel - first_panel - 1) / (last_panel - first_panel);
  alignas(64) float scores[cpu::kMaxTileRows * cpu::kMaxTileLanes];
  for (int64_t row = begin; row < end; row += kernels.rows) {
    const Group group(input, row, std::min(row + kernels.rows, end));
    const float* next =
        input.corpus + std::min(row + kernels.rows, end) *
                           input.d;  // the rows after this group, while it is computed
    const float* next_end = input.corpus + std::min(row + 2 * kernels.rows, end) * input.d;
    for (int64_t i = first_panel; i < last_panel; ++i, next += share) {
      prefetch(next, std::min(next + share, next_end));
      const Panel panel = input.panels.panel(i);
      const cpu::TileFunction compute =
          (panel.wide ? kernels.wide : kernels.narrow)[static_cast<int>(op)];
      const bool interesting = compute({group.rows, input.panels.data(panel), input.d,
                                        group.factors, input.thresholds + panel.first},
                                       scores);
      const Tile tile{panel.first, panel.queries, group.first, group.count,
                      panel.lanes, scores,        interesting};
      if (interesting) repair(input, op, tile, scores);
      on_tile(tile);
    }
  }
}

// For a handful of queries; a last, incomplete strip is left: the result is the row it would begin
// at.
int64_t score_strips(const ScoreInput& input, int64_t begin, int64_t end,
                     const TileCallback& on_tile) {
  const cpu::ScoreKernels& kernels = *cpu::kernels().scores;
  const cpu::ScoreOp op = op_of(input.metric);
  const int64_t queries = input.panels.queries();
  alignas(64) float scores[cpu::kMaxTileLanes * cpu::kMaxStripQueries], factors[cpu::kMaxTileLanes];
  int64_t row = begin;
  for (; row + kernels.lanes <= end; row += kernels.lanes) {
    const float* rows = input.corpus + row * input.d;
    for (int64_t i = 0; i < kernels.lanes; ++i) factors[i] = factor_of(input, rows + i * input.d);
    const bool interesting = kernels.strip[static_cast<int>(op)](
        {rows, input.panels.plain(), input.d, queries, factors, input.thresholds}, scores);
    const Tile tile{0, queries, row, kernels.lanes, queries, scores, interesting};
    if (interesting) repair(input, op, tile, scores);
    on_tile(tile);
  }
  return row;
}

}  // namespace

int64_t panels_per_pass(int64_t d) {
  return std::max<int64_t>(1, kPassBytes /
                                  (2 * cpu::kernels().scores->lanes * std::max<int64_t>(d, 1) * 4));
}

void score_rows(const ScoreInput& input, int64_t first_panel, int64_t last_panel, int64_t begin,
                int64_t end, const TileCallback& on_tile) {
  if (input.panels.queries() <= cpu::kMaxStripQueries)
    begin = score_strips(input, begin, end, on_tile);
  const int64_t pass = panels_per_pass(input.d);
  for (int64_t from = first_panel; from < last_panel; from += pass)
    score_tiles(input, from, std::min(from + pass, last_panel), begin, end, on_tile);
}

}  // namespace contrastive::retrieval
