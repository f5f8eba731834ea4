#include "core/retrieval/score_rows.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/core/cpu/random_floats.h"

namespace contrastive::retrieval {
namespace {

TEST(ScoreRows, EveryQueryMeetsEveryRowOnceInTheirOrder) {
  constexpr int64_t kWidth = 19, kRows = 101, kBegin = 3;
  const std::vector<float> corpus = cpu::random_floats(kRows * kWidth, 1);
  for (const Metric metric :
       {Metric::kCosine, Metric::kDot, Metric::kEuclidean, Metric::kManhattan}) {
    for (const int64_t n : {1, 2, 30, 70}) {
      const std::vector<float> queries = cpu::random_floats(n * kWidth, 2);
      const QueryPanels panels(queries.data(), n, kWidth, metric);
      const std::vector<float> thresholds(static_cast<size_t>(panels.padded()),
                                          -std::numeric_limits<float>::infinity());
      std::vector<float> expected(static_cast<size_t>(n * kRows));
      similarity(queries.data(), n, corpus.data(), kRows, kWidth, metric, expected.data());
      std::vector<int64_t> next(static_cast<size_t>(n), kBegin);
      score_rows({queries.data(), panels, corpus.data(), kWidth, metric, thresholds.data()}, 0,
                 panels.count(), kBegin, kRows, [&](const Tile& tile) {
                   ASSERT_TRUE(tile.interesting);
                   for (int64_t row = 0; row < tile.rows; ++row) {
                     for (int64_t lane = 0; lane < tile.queries; ++lane) {
                       const int64_t query = tile.first_query + lane;
                       ASSERT_EQ(next[static_cast<size_t>(query)]++, tile.first_row + row);
                       ASSERT_EQ(
                           tile.scores[row * tile.lanes + lane],
                           expected[static_cast<size_t>(query * kRows + tile.first_row + row)])
                           << static_cast<int>(metric) << ", " << n << " queries";
                     }
                   }
                 });
      for (const int64_t row : next) EXPECT_EQ(row, kRows);
    }
  }
}

TEST(ScoreRows, ATileBelowItsThresholdsIsNotInteresting) {
  constexpr int64_t kWidth = 4, kRows = 64;
  const std::vector<float> corpus(kRows * kWidth, 1), queries(40 * kWidth, 1);
  const QueryPanels panels(queries.data(), 40, kWidth, Metric::kDot);
  for (const float threshold : {3.5f, 4.5f}) {
    const std::vector<float> thresholds(static_cast<size_t>(panels.padded()), threshold);
    int64_t tiles = 0, interesting = 0;
    score_rows({queries.data(), panels, corpus.data(), kWidth, Metric::kDot, thresholds.data()}, 0,
               panels.count(), 0, kRows, [&](const Tile& tile) {
                 ++tiles;
                 interesting += tile.interesting;
               });
    EXPECT_GT(tiles, 0);
    EXPECT_EQ(interesting, threshold < 4 ? tiles : 0);
  }
}

TEST(ScoreRows, PanelsOfAPassShrinkWithTheWidth) {
  EXPECT_GT(panels_per_pass(64), panels_per_pass(1024));
  EXPECT_EQ(panels_per_pass(int64_t{1} << 30), 1);
}

}  // namespace
}  // namespace contrastive::retrieval
