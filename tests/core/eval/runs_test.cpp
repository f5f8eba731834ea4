#include "core/eval/runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace contrastive::eval {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Runs, MeanAndDeviationOfASample) {
  const MeanAndStd spread = mean_and_std({2, 4, 9});
  EXPECT_DOUBLE_EQ(spread.mean, 5);
  EXPECT_DOUBLE_EQ(spread.std, std::sqrt(13.0));
  EXPECT_DOUBLE_EQ(mean_and_std({3}).mean, 3);
  EXPECT_TRUE(std::isnan(mean_and_std({3}).std));
  EXPECT_TRUE(std::isnan(mean_and_std({3, kNan}).mean));
}

TEST(Runs, SeveralGiveMeanAndDeviation) {
  Json report = Json::object();
  report_runs(report, "one", {0.25});
  report_runs(report, "more", {1, 2, 6});
  report_runs(report, "none", {kNan});
  EXPECT_EQ(report["one"], 0.25);
  EXPECT_FALSE(report.contains("one_std"));
  EXPECT_NEAR(report["more"].get<double>(), 3, 1e-12);
  EXPECT_NEAR(report["more_std"].get<double>(), std::sqrt(7.0), 1e-12);
  EXPECT_TRUE(report["none"].is_null());
}

}  // namespace
}  // namespace contrastive::eval
