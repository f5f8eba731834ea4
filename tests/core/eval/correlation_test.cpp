// Against the published vectors and against SciPy (tests/golden/eval/make.py).
#include "core/eval/correlation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

TEST(Correlation, EqualsThePublishedValues) {
  const Json& v = fixture("vectors.json")["correlation"];
  EXPECT_NEAR(pearson(numbers(v["pred_A"]), numbers(v["gold_A"])), v["pearson_A"].get<double>(),
              1e-11);
  EXPECT_NEAR(pearson(numbers(v["pred_B"]), numbers(v["gold_B"])), v["pearson_B"].get<double>(),
              1e-11);
  EXPECT_NEAR(spearman(numbers(v["pred_A"]), numbers(v["gold_A"])), v["spearman_A"].get<double>(),
              1e-11);
  EXPECT_NEAR(spearman(numbers(v["pred_B"]), numbers(v["gold_B"])), v["spearman_B"].get<double>(),
              1e-11);
  EXPECT_EQ(average_ranks(numbers(v["pred_A"])), numbers(v["ranks_pred_A"]));
  EXPECT_EQ(average_ranks(numbers(v["gold_B"])), numbers(v["ranks_gold_B"]));
  EXPECT_EQ(average_ranks(numbers(v["pred_B"])), numbers(v["ranks_pred_B"]));
}

TEST(Correlation, EqualsSciPy) {
  for (const Json& test : fixture("eval_golden.json")["correlation"]) {
    const std::vector<double> x = numbers(test["x"]), y = numbers(test["y"]);
    EXPECT_NEAR(pearson(x, y), test["pearson"].get<double>(), 1e-12) << x.size();
    EXPECT_NEAR(spearman(x, y), test["spearman"].get<double>(), 1e-12) << x.size();
    EXPECT_EQ(average_ranks(x), numbers(test["ranks_x"]));
  }
}

TEST(Correlation, IsUndefinedForConstantOrTooFewOrNonFiniteValues) {
  const Json& v = fixture("vectors.json")["correlation"]["constant_pred"];
  EXPECT_TRUE(std::isnan(spearman(numbers(v["pred"]), numbers(v["gold"]))));
  const std::vector<double> thirds(7, 1.0 / 3), rising = {1, 2, 3, 4, 5, 6, 7};
  EXPECT_TRUE(std::isnan(pearson(thirds, rising)));
  EXPECT_TRUE(std::isnan(pearson(rising, thirds)));
  EXPECT_TRUE(std::isnan(pearson({}, {})));
  EXPECT_TRUE(std::isnan(spearman({1}, {2})));
  EXPECT_TRUE(std::isnan(spearman({1, std::nan(""), 3}, {1, 2, 3})));
  EXPECT_TRUE(std::isnan(pearson({1, INFINITY, 3}, {1, 2, 3})));
  expect_error(Status::kMismatch, "correlation of 2 values with 3",
               [] { pearson({1, 2}, {1, 2, 3}); });
}

TEST(Correlation, SurvivesScaleAndOffset) {
  const std::vector<double> x = {1, 2, 3, 4, 7}, y = {2, 1, 4, 3, 9};
  const double expected = pearson(x, y);
  for (double scale : {1e-200, 1e200}) {
    std::vector<double> scaled;
    for (double value : x) scaled.push_back(value * scale);
    EXPECT_NEAR(pearson(scaled, y), expected, 1e-14);
  }
  EXPECT_EQ(pearson(x, x), 1);
  EXPECT_EQ(spearman(x, {-1, -2, -3, -4, -5}), -1);
}

}  // namespace
}  // namespace contrastive::eval
