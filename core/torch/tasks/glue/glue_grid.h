// All runs of a GLUE task: tries the cells of a grid with the seeds, chooses the cell with the best
// selection score, and reports its figures.
#pragma once

#include <functional>
#include <vector>

#include "core/base/json.h"
#include "core/torch/tasks/glue/glue_run.h"

namespace contrastive::eval {

struct GlueGrid {
  struct Cell {
    GlueCell cell;
    // Mean over the seeds that it was tried with; NaN if one of them has no score.
    double select = 0;
  };
  std::vector<Cell> cells;    // ordered by lr, then by batch size
  size_t chosen = 0;          // the cell with the highest score; the first among equals
  std::vector<GlueRun> runs;  // those of the chosen cell, one for each seed
};

// `run` makes one run: run_glue(), or a replacement in a test. With one cell, no run is made only
// for the choice. Otherwise each cell is tried with the first `grid_seeds` seeds (0: all), and the
// chosen cell also with the rest.
GlueGrid search_grid(const std::vector<GlueCell>& cells, const std::vector<int64_t>& seeds,
                     int64_t grid_seeds,
                     const std::function<GlueRun(const GlueCell&, int64_t seed)>& run);

std::vector<GlueCell> grid_cells(const std::vector<double>& lr,
                                 const std::vector<int64_t>& batch_sizes);

// Returns {figure: mean, ..., "score": mean, "std": {figure: ...}, "lr", "batch_size", "runs":
// [{"seed", "score", figures, "select", "epoch", "steps", "loss"}], "grid": [{"lr", "batch_size",
// "select"}]}; NaN becomes null.
Json grid_report(const GlueGrid& grid);

}  // namespace contrastive::eval
