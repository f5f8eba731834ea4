#include "core/torch/tasks/glue/glue_grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "tests/core/eval/files.h"

namespace contrastive::eval {
namespace {

using ::testing::ElementsAre;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Fake runs whose selection and figures come from a table. They record the requested runs.
struct Runs {
  std::function<double(const GlueCell&, int64_t)> select;
  std::vector<std::pair<double, int64_t>> made = {};

  std::function<GlueRun(const GlueCell&, int64_t)> function() {
    return [this](const GlueCell& cell, int64_t seed) {
      made.emplace_back(cell.lr, seed);
      GlueRun run;
      run.seed = seed;
      run.select = select(cell, seed);
      run.figures = {{{"accuracy", run.select / 2}}, run.select / 2};
      return run;
    };
  }
};

TEST(GlueGrid, CellsAreAllCombinations) {
  const auto cells = grid_cells({1e-5, 2e-5}, {16, 32, 64});
  ASSERT_EQ(cells.size(), 6u);
  EXPECT_EQ(cells[0].lr, 1e-5);
  EXPECT_EQ(cells[2].batch_size, 64);
  EXPECT_EQ(cells[3].lr, 2e-5);
}

TEST(GlueGrid, TheBestMeanOverSeedsIsChosen) {
  // The second cell has the best single run, the third the best mean.
  Runs runs{[](const GlueCell& cell, int64_t seed) {
    return cell.lr == 1 ? 0.5 : cell.lr == 2 ? (seed == 7 ? 0.9 : 0.1) : 0.6;
  }};
  const GlueGrid grid = search_grid(grid_cells({1, 2, 3}, {16}), {7, 8}, 0, runs.function());
  EXPECT_EQ(grid.chosen, 2u);
  EXPECT_DOUBLE_EQ(grid.cells[1].select, 0.5);
  ASSERT_EQ(grid.runs.size(), 2u);
  EXPECT_EQ(grid.runs[0].seed, 7);
  EXPECT_EQ(grid.runs[1].seed, 8);
  EXPECT_EQ(runs.made.size(), 6u);
}

TEST(GlueGrid, TheFirstAmongEqualsAndNeverAnUndefinedOne) {
  Runs equal{[](const GlueCell&, int64_t) { return 0.5; }};
  EXPECT_EQ(search_grid(grid_cells({1, 2}, {16}), {1}, 0, equal.function()).chosen, 0u);
  Runs undefined{[](const GlueCell& cell, int64_t) { return cell.lr == 2 ? -0.2 : kNan; }};
  EXPECT_EQ(search_grid(grid_cells({1, 2, 3}, {16}), {1}, 0, undefined.function()).chosen, 1u);
}

TEST(GlueGrid, TriesCellsWithFewerSeeds) {
  Runs runs{[](const GlueCell& cell, int64_t) { return cell.lr; }};
  const GlueGrid grid =
      search_grid(grid_cells({0.1, 0.3, 0.2}, {16}), {1, 2, 3}, 1, runs.function());
  EXPECT_THAT(runs.made, ElementsAre(std::pair(0.1, 1), std::pair(0.3, 1), std::pair(0.2, 1),
                                     std::pair(0.3, 2), std::pair(0.3, 3)));
  EXPECT_EQ(grid.runs.size(), 3u);
  Runs single{[](const GlueCell&, int64_t) { return 0.5; }};
  search_grid(grid_cells({1}, {16}), {1, 2, 3}, 1, single.function());
  EXPECT_EQ(single.made.size(), 3u) << "one cell: nothing to choose, every seed runs once";
}

TEST(GlueGrid, ReportHoldsMeansDeviationsAndEveryRun) {
  Runs runs{
      [](const GlueCell& cell, int64_t seed) { return cell.lr + 0.1 * static_cast<double>(seed); }};
  const Json report =
      grid_report(search_grid(grid_cells({0.2, 0.4}, {16}), {1, 3}, 0, runs.function()));
  EXPECT_NEAR(report["accuracy"].get<double>(), 0.3, 1e-12);
  EXPECT_EQ(report["accuracy"], report["score"]);
  EXPECT_NEAR(report["std"]["accuracy"].get<double>(), 0.1 / std::sqrt(2.0), 1e-12);
  EXPECT_EQ(report["lr"], 0.4);
  EXPECT_EQ(report["batch_size"], 16);
  ASSERT_EQ(report["runs"].size(), 2u);
  EXPECT_EQ(report["runs"][1]["seed"], 3);
  EXPECT_NEAR(report["runs"][1]["select"].get<double>(), 0.7, 1e-12);
  EXPECT_NEAR(report["runs"][1]["accuracy"].get<double>(), 0.35, 1e-12);
  EXPECT_EQ(report["grid"].size(), 2u);
  Runs undefined{[](const GlueCell&, int64_t) { return kNan; }};
  const Json empty = grid_report(search_grid(grid_cells({1}, {16}), {1}, 0, undefined.function()));
  EXPECT_TRUE(empty["score"].is_null());
  EXPECT_TRUE(empty["std"]["score"].is_null());
  EXPECT_TRUE(empty["runs"][0]["select"].is_null());
}

}  // namespace
}  // namespace contrastive::eval
