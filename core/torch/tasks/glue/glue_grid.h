// All runs of a GLUE task: the cells of a grid, the seeds, the choice among cells by the
// selection's score, and the figures of the chosen one.
#pragma once

#include <functional>
#include <vector>

#include "core/base/json.h"
#include "core/torch/tasks/glue/glue_run.h"

namespace contrastive::eval {

struct GlueGrid {
  struct Cell {
    GlueCell cell;
    double select = 0;  // mean over the seeds it was tried with; NaN where one of them has none
  };
  std::vector<Cell> cells;    // lr by lr, and for each lr batch size by batch size
  size_t chosen = 0;          // the highest; the first among equals
  std::vector<GlueRun> runs;  // of the chosen cell, one for each seed
};

// `run` makes one run: run_glue(), or a stand-in in a test. With one cell no run is made for the
// choice alone; else each cell is tried with the first `grid_seeds` seeds (0: all), and the chosen
// one with the rest.
GlueGrid search_grid(const std::vector<GlueCell>& cells, const std::vector<int64_t>& seeds,
                     int64_t grid_seeds,
                     const std::function<GlueRun(const GlueCell&, int64_t seed)>& run);

std::vector<GlueCell> grid_cells(const std::vector<double>& lr,
                                 const std::vector<int64_t>& batch_sizes);

// {figure: mean, ..., "score": mean, "std": {figure: ...}, "lr", "batch_size", "runs": [{"seed",
// "score", figures, "select", "epoch", "steps", "loss"}], "grid": [{"lr", "batch_size",
// "select"}]}; NaN is null.
Json grid_report(const GlueGrid& grid);

}  // namespace contrastive::eval
