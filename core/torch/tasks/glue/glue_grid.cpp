#include "core/torch/tasks/glue/glue_grid.h"

#include <algorithm>
#include <cmath>

#include "core/eval/figures.h"
#include "core/eval/runs.h"

namespace contrastive::eval {
namespace {

double mean_select(const std::vector<GlueRun>& runs) {
  double sum = 0;
  for (const GlueRun& run : runs) sum += run.select;
  return sum / static_cast<double>(runs.size());
}

std::vector<std::pair<std::string, double>> all_figures(const GlueRun& run) {
  std::vector<std::pair<std::string, double>> figures = run.figures.values;
  figures.emplace_back("score", run.figures.score);
  return figures;
}

}  // namespace

std::vector<GlueCell> grid_cells(const std::vector<double>& lr,
                                 const std::vector<int64_t>& batch_sizes) {
  std::vector<GlueCell> cells;
  for (const double rate : lr) {
    for (const int64_t size : batch_sizes) cells.push_back({rate, size});
  }
  return cells;
}

GlueGrid search_grid(const std::vector<GlueCell>& cells, const std::vector<int64_t>& seeds,
                     int64_t grid_seeds,
                     const std::function<GlueRun(const GlueCell&, int64_t seed)>& run) {
  const size_t all = seeds.size();
  const size_t tried =
      cells.size() == 1 || grid_seeds == 0 ? all : std::min(all, static_cast<size_t>(grid_seeds));
  GlueGrid grid;
  for (const GlueCell& cell : cells) {
    std::vector<GlueRun> runs;
    for (size_t i = 0; i < tried; ++i) runs.push_back(run(cell, seeds[i]));
    grid.cells.push_back({cell, mean_select(runs)});
    const double best = grid.cells[grid.chosen].select, now = grid.cells.back().select;
    if (grid.cells.size() == 1 || now > best || (std::isnan(best) && !std::isnan(now))) {
      grid.chosen = grid.cells.size() - 1;
      grid.runs = std::move(runs);
    }
  }
  for (size_t i = tried; i < all; ++i) grid.runs.push_back(run(cells[grid.chosen], seeds[i]));
  return grid;
}

Json grid_report(const GlueGrid& grid) {
  Json report = Json::object(), deviations = Json::object();
  const auto names = all_figures(grid.runs.front());
  for (size_t i = 0; i < names.size(); ++i) {
    std::vector<double> values;
    for (const GlueRun& run : grid.runs) values.push_back(all_figures(run)[i].second);
    const MeanAndStd spread = mean_and_std(values);
    report[names[i].first] = number_or_null(spread.mean);
    deviations[names[i].first] = number_or_null(spread.std);
  }
  report["std"] = std::move(deviations);
  report["lr"] = grid.cells[grid.chosen].cell.lr;
  report["batch_size"] = grid.cells[grid.chosen].cell.batch_size;
  report["runs"] = Json::array();
  for (const GlueRun& run : grid.runs) {
    Json row = {{"seed", run.seed}};
    for (const auto& [name, value] : all_figures(run)) row[name] = number_or_null(value);
    row["select"] = number_or_null(run.select);
    row["epoch"] = run.epoch;
    row["steps"] = run.steps;
    row["loss"] = run.loss;
    report["runs"].push_back(std::move(row));
  }
  report["grid"] = Json::array();
  for (const GlueGrid::Cell& cell : grid.cells) {
    report["grid"].push_back({{"lr", cell.cell.lr},
                              {"batch_size", cell.cell.batch_size},
                              {"select", number_or_null(cell.select)}});
  }
  return report;
}

}  // namespace contrastive::eval
