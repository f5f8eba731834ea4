// Against numpy's means and quantiles (tests/golden/eval/bootstrap.py).
#include "core/eval/bootstrap.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

TEST(Bootstrap, EqualsNumpy) {
  const Json& golden = fixture("bootstrap_golden.json");
  ASSERT_GE(golden["cases"].size(), 4u);
  for (const Json& c : golden["cases"]) {
    const BootstrapOptions options{c["resamples"].get<int64_t>(), c["confidence"].get<double>(),
                                   c["seed"].get<int64_t>()};
    const Interval interval =
        paired_bootstrap({c["differences"].get<std::vector<double>>()}, options).front();
    EXPECT_NEAR(interval.mean, c["mean"].get<double>(), 1e-12);
    EXPECT_NEAR(interval.low, c["low"].get<double>(), 1e-12);
    EXPECT_NEAR(interval.high, c["high"].get<double>(), 1e-12);
  }
}

TEST(Bootstrap, ExcludesZeroWhereAllDifferencesHaveOneSign) {
  EXPECT_TRUE(paired_bootstrap({{0.1, 0.2, 0.3}}, {}).front().excludes_zero());
  EXPECT_TRUE(paired_bootstrap({{-0.1, -0.2, -0.3}}, {}).front().excludes_zero());
  EXPECT_FALSE(paired_bootstrap({{-1, 1, -1, 1}}, {}).front().excludes_zero());
  EXPECT_FALSE(paired_bootstrap({{0, 0, 0}}, {}).front().excludes_zero());
}

TEST(Bootstrap, RefusesWhatHasNoMean) {
  expect_error(Status::kArgument, "a bootstrap needs at least one difference",
               [&] { paired_bootstrap({}, {}); });
  expect_error(Status::kArgument, "a bootstrap of 0 resamples and confidence 0.95",
               [&] { paired_bootstrap({{1}}, {0, 0.95, 1}); });
  expect_error(Status::kArgument, "a bootstrap of 10 resamples and confidence 1",
               [&] { paired_bootstrap({{1}}, {10, 1, 1}); });
}

}  // namespace
}  // namespace contrastive::eval
