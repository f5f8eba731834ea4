#include "core/eval/transfer/seeds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/core/eval/files.h"

namespace contrastive::eval {
namespace {

TEST(Seeds, AreWholeNumbers) {
  EXPECT_EQ(parse_seeds({"0", "1111", "18446744073709551615"}), (std::vector<uint64_t>{0, 1111, 18446744073709551615u}));
  for (const char* bad : {"", "-1", "1.5", "one", "18446744073709551616", " 1"}) {
    EXPECT_EQ(error_of([&] { parse_seeds({bad}); }).status(), Status::kArgument) << bad;
  }
  EXPECT_EQ(error_of([] { parse_seeds({}); }).status(), Status::kArgument);
}

TEST(Seeds, SeveralRunsGiveMeanAndDeviation) {
  Json report = Json::object();
  report_runs(report, "one", {0.25});
  report_runs(report, "more", {1, 2, 6});
  report_runs(report, "none", {std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(report["one"], 0.25);
  EXPECT_FALSE(report.contains("one_std"));
  EXPECT_NEAR(report["more"].get<double>(), 3, 1e-12);
  EXPECT_NEAR(report["more_std"].get<double>(), std::sqrt(7.0), 1e-12);
  EXPECT_TRUE(report["none"].is_null());
}

}  // namespace
}  // namespace contrastive::eval
