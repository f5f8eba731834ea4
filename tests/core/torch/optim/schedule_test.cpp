#include "core/torch/optim/schedule.h"

#include <gmock/gmock.h>

#include "tests/core/torch/optim/vectors.h"

namespace contrastive::optim {
namespace {

void expect_vector(const Json& expected, Schedule kind) {
  const ScheduleOptions options{kind, expected.at("warmup").get<int64_t>(),
                                expected.at("total").get<int64_t>(), 0};
  const auto rates = expected.at("lr_at_update").get<std::vector<double>>();
  const double lr = expected.at("lr").get<double>();
  for (size_t u = 0; u < rates.size(); ++u) {
    EXPECT_NEAR(lr * schedule_factor(options, static_cast<int64_t>(u)), rates[u], 1e-9 * lr)
        << "update " << u;
  }
}

TEST(Schedule, EqualsTheTestVectors) {
  const Json lr = test_vectors("lr");
  expect_vector(lr.at("linear_warmup_cosine"), Schedule::kWarmupCosine);
  expect_vector(lr.at("linear_warmup_linear_decay_hf"), Schedule::kWarmupLinear);
  expect_vector(lr.at("fairseq_polynomial_power1_end0"), Schedule::kFairseqLinear);
  expect_vector(lr.at("no_warmup_linear"), Schedule::kWarmupLinear);
}

TEST(Schedule, ConstantStaysAfterItsWarmup) {
  const ScheduleOptions options{Schedule::kConstant, 4, 0, 0};
  EXPECT_DOUBLE_EQ(schedule_factor(options, 0), 0);
  EXPECT_DOUBLE_EQ(schedule_factor(options, 3), 0.75);
  EXPECT_DOUBLE_EQ(schedule_factor(options, 4), 1);
  EXPECT_DOUBLE_EQ(schedule_factor(options, 1000000), 1);
}

TEST(Schedule, DecayDividesOverTime) {
  const ScheduleOptions options{Schedule::kConstant, 0, 0, 1e-4};
  EXPECT_DOUBLE_EQ(schedule_factor(options, 0), 1);
  EXPECT_DOUBLE_EQ(schedule_factor(options, 10000), 0.5);
}

TEST(Schedule, IsDefinedAtItsEdges) {
  for (const Schedule kind : {Schedule::kConstant, Schedule::kWarmupLinear, Schedule::kWarmupCosine,
                              Schedule::kFairseqLinear}) {
    for (const int64_t total : {1, 2, 5}) {
      for (int64_t warmup = 0; warmup <= total; ++warmup) {
        for (int64_t u = 0; u <= total + 1; ++u) {
          const double factor = schedule_factor({kind, warmup, total, 0}, u);
          EXPECT_GE(factor, 0);
          EXPECT_LE(factor, 1);
        }
      }
    }
  }
}

}  // namespace
}  // namespace contrastive::optim
