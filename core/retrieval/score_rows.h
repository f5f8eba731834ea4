// Computes scores of queries against a range of corpus rows, tile by tile: the loop that similarity
// and top-k share. It uses one thread; the callers split the work.
#pragma once

#include <cstdint>
#include <functional>

#include "core/retrieval/query_panels.h"
#include "core/retrieval/similarity.h"

namespace contrastive::retrieval {

struct Tile {
  int64_t first_query, queries;  // queries of this tile; there may be more lanes
  int64_t first_row, rows;       // corpus rows
  int64_t lanes;                 // distance between the tile's rows
  const float* scores;           // [rows, lanes], final
  bool interesting;              // a score is above its query's threshold
};

struct ScoreInput {
  const float* queries;       // [n, d] as given; used to compute scores in double
  const QueryPanels& panels;  // the same in panels
  const float* corpus;        // [.., d]
  int64_t d;
  Metric metric;
  // [panels.padded()]; read again for every tile, so the callback may raise them.
  const float* thresholds;
};

using TileCallback = std::function<void(const Tile&)>;

// Panels that fit in the second-level cache together while corpus rows stream past.
int64_t panels_per_pass(int64_t d);

// Calls on_tile for every panel in [first_panel, last_panel) and all rows in [begin, end). Each
// query receives its rows in ascending order.
void score_rows(const ScoreInput& input, int64_t first_panel, int64_t last_panel, int64_t begin,
                int64_t end, const TileCallback& on_tile);

}  // namespace contrastive::retrieval
