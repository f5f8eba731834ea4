// Every build of the score kernels against the definition; bit for bit if they use fused
// multiply-adds.
#include "core/cpu/builds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/core/retrieval/vectors.h"

namespace contrastive::cpu {
namespace {

using retrieval::Metric;
using retrieval::random_vectors;
using retrieval::reference;

constexpr ScoreOp kOps[] = {ScoreOp::kDot, ScoreOp::kEuclidean, ScoreOp::kManhattan};
constexpr Metric kMetrics[] = {Metric::kDot, Metric::kEuclidean, Metric::kManhattan};

// Scores [rows, queries] of one kernel, for queries that fill one panel.
struct TileRun {
  std::vector<float> scores;
  bool interesting;
};
TileRun run(const ScoreKernels& kernels, bool wide, ScoreOp op, const std::vector<float>& queries,
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

TEST(Scores, EveryKernelComputesTheDefinition) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const ScoreKernels* kernels : builds(&Kernels::scores)) {
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

TEST(Scores, StripsGiveTheScoresOfTilesBitByBit) {
  for (const ScoreKernels* kernels : builds(&Kernels::scores)) {
    for (int64_t d : {1, 15, 16, 33, 384}) {
      const int64_t lanes = kernels->lanes;
      const std::vector<float> queries = random_vectors(kMaxTileLanes, d, 5),
                               rows = random_vectors(kMaxTileLanes, d, 6);
      const std::vector<float> factors(lanes, 0.5f), thresholds(kMaxStripQueries, 1e30f);
      for (ScoreOp op : kOps) {
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

// The definition in float32: one chain of fused multiply-adds.
float fused_score(ScoreOp op, const float* x, const float* y, int64_t d, float factor) {
  float sum = 0;
  for (int64_t k = 0; k < d; ++k) {
    const float difference = x[k] - y[k];
    switch (op) {
      case ScoreOp::kDot: sum = std::fma(x[k], y[k], sum); break;
      case ScoreOp::kEuclidean: sum = std::fma(difference, difference, sum); break;
      case ScoreOp::kManhattan: sum += std::fabs(difference); break;
    }
  }
  if (op == ScoreOp::kDot) return sum * factor;
  return op == ScoreOp::kEuclidean ? -std::sqrt(sum) : -sum;
}

float fused_sum_of_squares(const float* x, int64_t d) {
  float sums[16] = {}, total = 0;
  int64_t k = 0;
  for (; k + 16 <= d; k += 16) {
    for (int64_t i = 0; i < 16; ++i) sums[i] = std::fma(x[k + i], x[k + i], sums[i]);
  }
  for (; k < d; ++k) total = std::fma(x[k], x[k], total);
  for (const float sum : sums) total += sum;
  return total;
}

TEST(Scores, AreTheSameBitsOnEveryProcessorWithFusedMultiplyAdd) {
  const std::vector<const ScoreKernels*> kernels = builds(&Kernels::scores);
  if (kernels.size() < 2) GTEST_SKIP() << "this processor has no such kernels";
  const int64_t d = 383;
  const std::vector<float> queries = random_vectors(kMaxTileLanes, d, 3),
                           rows = random_vectors(kMaxTileRows, d, 4);
  for (auto k = kernels.begin() + 1; k != kernels.end(); ++k) {  // the first is the baseline
    const int64_t lanes = 2 * (*k)->lanes;
    for (ScoreOp op : kOps) {
      const TileRun got = run(**k, true, op, queries, rows, d, 0);
      for (int64_t i = 0; i < (*k)->rows * lanes; ++i) {
        ASSERT_EQ(got.scores[i],
                  fused_score(op, &queries[i % lanes * d], &rows[i / lanes * d], d, 0.5f))
            << (*k)->name << " " << i;
      }
    }
    for (int64_t width = 1; width <= 32; ++width) {
      for (int64_t i = 0; i + width <= kMaxTileRows * d; i += 97)
        ASSERT_EQ((*k)->sum_of_squares(&rows[i], width), fused_sum_of_squares(&rows[i], width))
            << (*k)->name << " " << width;
    }
  }
}

TEST(Scores, NumbersThatFloatCannotHoldAreReported) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const ScoreKernels* kernels : builds(&Kernels::scores)) {
    std::vector<float> queries(kMaxTileLanes * 2, 0.0f), rows(kMaxTileRows * 2, 1.0f);
    EXPECT_FALSE(run(*kernels, true, ScoreOp::kDot, queries, rows, 2, kInfinity).interesting);
    queries[2] = 1e30f, queries[3] = -1e30f;
    for (float& x : rows) x = 1e30f;
    const TileRun overflow = run(*kernels, true, ScoreOp::kDot, queries, rows, 2, kInfinity);
    EXPECT_TRUE(overflow.interesting);
    EXPECT_TRUE(needs_double(ScoreOp::kDot, overflow.scores[1]));
    EXPECT_FALSE(needs_double(ScoreOp::kDot, overflow.scores[0]));
  }
  EXPECT_TRUE(needs_double(ScoreOp::kEuclidean, -0.0f));
  EXPECT_FALSE(needs_double(ScoreOp::kManhattan, -0.0f));
}

}  // namespace
}  // namespace contrastive::cpu
