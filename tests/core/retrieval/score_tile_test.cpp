// The kernels of all instruction sets that this processor has agree.
#include "core/retrieval/score_tile.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/core/retrieval/vectors.h"

namespace contrastive::retrieval {
namespace {

constexpr TileOp kOps[] = {TileOp::kDot, TileOp::kEuclidean, TileOp::kManhattan};
constexpr Metric kMetrics[] = {Metric::kDot, Metric::kEuclidean, Metric::kManhattan};

std::vector<const TileKernels*> available() {
  std::vector<const TileKernels*> kernels = {&tile_kernels_portable()};
#if defined(__x86_64__)
  const bool fma = __builtin_cpu_supports("fma");
  if (fma && __builtin_cpu_supports("avx2") && tile_kernels_avx2() != nullptr)
    kernels.push_back(tile_kernels_avx2());
  if (fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      tile_kernels_avx512() != nullptr)
    kernels.push_back(tile_kernels_avx512());
#endif
  if (tile_kernels_neon() != nullptr) kernels.push_back(tile_kernels_neon());
  return kernels;
}

#if defined(__x86_64__)
TEST(ScoreTile, ASetIsChosenOnlyWhereAllItsInstructionsExist) {
  if (tile_kernels_avx2() == nullptr || tile_kernels_avx512() == nullptr)
    GTEST_SKIP() << "the compiler knows no AVX2 or no AVX-512";
  TileFeatures features;
  EXPECT_EQ(&tile_kernels_for(features), &tile_kernels_portable());
  features.avx2 = true;
  EXPECT_EQ(&tile_kernels_for(features), &tile_kernels_portable());
  features.fma = true;
  EXPECT_EQ(&tile_kernels_for(features), tile_kernels_avx2());
  features.avx512f = true;
  EXPECT_EQ(&tile_kernels_for(features), tile_kernels_avx2());  // as on Knights Landing
  features.avx512vl = true;
  EXPECT_EQ(&tile_kernels_for(features), tile_kernels_avx512());
  features.fma = false;
  EXPECT_EQ(&tile_kernels_for(features), &tile_kernels_portable());
}
#endif

// Scores [rows, queries] of one kernel, for queries that fill one panel.
struct TileRun {
  std::vector<float> scores;
  bool interesting;
};
TileRun run(const TileKernels& kernels, bool wide, TileOp op, const std::vector<float>& queries,
            const std::vector<float>& rows, int64_t d, float threshold) {
  const int64_t lanes = kernels.lanes * (wide ? 2 : 1);
  std::vector<float> panel(lanes * d), thresholds(lanes, threshold), factors(kernels.rows, 0.5f);
  std::vector<const float*> pointers;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    for (int64_t k = 0; k < d; ++k) panel[k * lanes + lane] = queries[lane * d + k];
  }
  for (int64_t i = 0; i < kernels.rows; ++i) pointers.push_back(&rows[i * d]);
  TileRun result{std::vector<float>(kernels.rows * lanes), false};
  const TileFunction compute = (wide ? kernels.wide : kernels.narrow)[static_cast<int>(op)];
  result.interesting =
      compute({pointers.data(), panel.data(), d, factors.data(), thresholds.data()},
              result.scores.data());
  return result;
}

TEST(ScoreTile, EveryKernelComputesTheDefinition) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const TileKernels* kernels : available()) {
    ASSERT_LE(kernels->rows, kMaxTileRows);
    ASSERT_LE(2 * kernels->lanes, kMaxTileLanes);
    for (int64_t d : {1, 7, 384}) {
      const std::vector<float> queries = random_vectors(kMaxTileLanes, d, 1),
                               rows = random_vectors(kMaxTileRows, d, 2);
      for (int op = 0; op < 3; ++op) {
        for (bool wide : {false, true}) {
          const int64_t lanes = kernels->lanes * (wide ? 2 : 1);
          const TileRun got = run(*kernels, wide, kOps[op], queries, rows, d, kInfinity);
          EXPECT_FALSE(got.interesting);
          for (int64_t i = 0; i < kernels->rows * lanes; ++i) {
            const double expected =
                reference(&queries[i % lanes * d], &rows[i / lanes * d], d, kMetrics[op]) *
                (op == 0 ? 0.5 : 1);
            ASSERT_NEAR(got.scores[i], expected, 1e-6 * (std::abs(expected) + std::sqrt(d)));
          }
          const float best = *std::max_element(got.scores.begin(), got.scores.end());
          EXPECT_FALSE(run(*kernels, wide, kOps[op], queries, rows, d, best).interesting);
          EXPECT_TRUE(
              run(*kernels, wide, kOps[op], queries, rows, d, std::nextafter(best, -kInfinity))
                  .interesting);
        }
      }
    }
  }
}

TEST(ScoreTile, StripsGiveTheScoresOfTilesBitByBit) {
  for (const TileKernels* kernels : available()) {
    for (int64_t d : {1, 15, 16, 33, 384}) {
      const int64_t lanes = kernels->lanes;
      const std::vector<float> queries = random_vectors(kMaxTileLanes, d, 5),
                               rows = random_vectors(kMaxTileLanes, d, 6);
      const std::vector<float> factors(lanes, 0.5f), thresholds(kMaxStripQueries, 1e30f);
      for (TileOp op : kOps) {
        const TileRun tiles = run(*kernels, false, op, queries, rows, d, 1e30f);
        for (int64_t count = 1; count <= kMaxStripQueries; ++count) {
          std::vector<float> scores(lanes * count);
          const StripFunction compute = kernels->strip[static_cast<int>(op)];
          EXPECT_FALSE(
              compute({rows.data(), queries.data(), d, count, factors.data(), thresholds.data()},
                      scores.data()));
          for (int64_t i = 0; i < std::min(lanes, kernels->rows); ++i) {
            for (int64_t q = 0; q < count; ++q)
              ASSERT_EQ(scores[i * count + q], tiles.scores[i * lanes + q])
                  << d << " " << count << " " << i;
          }
          const std::vector<float> low(kMaxStripQueries, -1e30f);
          EXPECT_TRUE(compute({rows.data(), queries.data(), d, count, factors.data(), low.data()},
                              scores.data()));
        }
      }
    }
  }
}

TEST(ScoreTile, KernelsWithFusedMultiplyAddAgreeBitByBit) {
  std::vector<const TileKernels*> kernels = available();
#if !defined(__aarch64__)  // where the portable one is fused as well
  kernels.erase(kernels.begin());
#endif
  if (kernels.size() < 2) GTEST_SKIP() << "this processor has one such kernel";
  const int64_t d = 383;
  const std::vector<float> queries = random_vectors(kMaxTileLanes, d, 3),
                           rows = random_vectors(kMaxTileRows, d, 4);
  for (TileOp op : kOps) {
    const bool same_lanes = kernels[0]->lanes == kernels[1]->lanes;
    const TileRun narrow = run(*kernels[0], true, op, queries, rows, d, 0),
                  wide = run(*kernels[1], same_lanes, op, queries, rows, d, 0);
    ASSERT_EQ((same_lanes ? 1 : 2) * kernels[0]->lanes, kernels[1]->lanes);
    const size_t common = std::min(narrow.scores.size(), wide.scores.size());
    for (size_t i = 0; i < common; ++i) ASSERT_EQ(narrow.scores[i], wide.scores[i]);
  }
  for (int64_t width = 1; width <= 32; ++width) {
    for (int64_t i = 0; i + width <= kMaxTileRows * d; i += 97) {
      ASSERT_EQ(kernels[0]->sum_of_squares(&rows[i], width),
                kernels[1]->sum_of_squares(&rows[i], width))
          << width;
    }
  }
}

TEST(ScoreTile, NumbersThatFloatCannotHoldAreReported) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const TileKernels* kernels : available()) {
    std::vector<float> queries(kMaxTileLanes * 2, 0.0f), rows(kMaxTileRows * 2, 1.0f);
    EXPECT_FALSE(run(*kernels, true, TileOp::kDot, queries, rows, 2, kInfinity).interesting);
    queries[2] = 1e30f, queries[3] = -1e30f;
    for (float& x : rows) x = 1e30f;
    const TileRun overflow = run(*kernels, true, TileOp::kDot, queries, rows, 2, kInfinity);
    EXPECT_TRUE(overflow.interesting);
    EXPECT_TRUE(needs_double(TileOp::kDot, overflow.scores[1]));
    EXPECT_FALSE(needs_double(TileOp::kDot, overflow.scores[0]));
  }
  EXPECT_TRUE(needs_double(TileOp::kEuclidean, -0.0f));
  EXPECT_FALSE(needs_double(TileOp::kManhattan, -0.0f));
}

}  // namespace
}  // namespace contrastive::retrieval
