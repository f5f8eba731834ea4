// Against numpy's singular values (tests/golden/eval/geometry.py) and shapes whose rank is known.
#include "core/eval/geometry/effective_rank.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/core/eval/files.h"
#include "tests/core/eval/random_points.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

TEST(EffectiveRank, EqualsSingularValuesOfNumpy) {
  for (const Json& one : fixture("eval_geometry.json")["effective_rank"]) {
    const auto points = one["points"].get<std::vector<float>>();
    const auto d = one["dimension"].get<int64_t>(), n = static_cast<int64_t>(points.size()) / d;
    EXPECT_NEAR(effective_rank(points.data(), n, d), one["value"].get<double>(), 1e-6)
        << n << " x " << d;
  }
}

TEST(EffectiveRank, KnownShapes) {
  std::vector<float> axes(5 * 5, 0.0f);
  for (int i = 0; i < 5; ++i) axes[i * 6] = static_cast<float>(i + 1);  // lengths do not matter
  EXPECT_NEAR(effective_rank(axes.data(), 5, 5), 5, 1e-9);
  EXPECT_NEAR(effective_rank(axes.data(), 3, 5), 3, 1e-9);
  const std::vector<float> line = {1, 2, -2, -4, 0, 0, 3, 6};
  EXPECT_NEAR(effective_rank(line.data(), 4, 2), 1, 1e-9);
  const std::vector<float> same(3000 * 4, 0.3f);  // more rows than one block
  EXPECT_NEAR(effective_rank(same.data(), 3000, 4), 1, 1e-9);
  const std::vector<float> zeros(8, 0.0f);
  EXPECT_EQ(effective_rank(zeros.data(), 2, 4), 0);
  EXPECT_EQ(effective_rank(zeros.data(), 0, 4), 0);
}

TEST(EffectiveRank, BothGramMatricesAgreeWhereTheyMeet) {
  // 7 rows of 7 dimensions use X X^T. The same rows twice use X^T X, and every singular value grows
  // by the same factor.
  std::vector<float> x = random_points(7, 7);
  const double once = effective_rank(x.data(), 7, 7);
  const std::vector<float> copy = x;
  x.insert(x.end(), copy.begin(), copy.end());
  EXPECT_NEAR(effective_rank(x.data(), 14, 7), once, 1e-9);
}

TEST(EffectiveRank, WhatHasNoRank) {
  const std::vector<float> bad = {1, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_TRUE(std::isnan(effective_rank(bad.data(), 1, 2)));
  expect_error(Status::kArgument, "points of shape [1, 0]",
               [&] { effective_rank(bad.data(), 1, 0); });
  expect_error(Status::kArgument, "points are NULL", [&] { effective_rank(nullptr, 1, 2); });
  const std::vector<float> x = random_points(30, 3);
  Cancel cancel;
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled", [&] { effective_rank(x.data(), 30, 3, &cancel); });
}

}  // namespace
}  // namespace contrastive::eval
