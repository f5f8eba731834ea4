#include "core/torch/run/metrics.h"

#include <gmock/gmock.h>

#include <cmath>

namespace contrastive::run {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(Metrics, WhatIsMeasuredNowAndThenStandsInOneRecord) {
  Metrics metrics;
  metrics.set("loss", 0.5);
  metrics.measure("dev", 0.75);
  EXPECT_EQ(metrics.of_record("loss"), 0.5);
  EXPECT_EQ(metrics.of_record("dev"), 0.75);
  EXPECT_THAT(metrics.pending(), ElementsAre(Pair("dev", 0.75)));
  metrics.recorded();
  EXPECT_TRUE(std::isnan(metrics.of_record("dev")));
  EXPECT_EQ(metrics.of_record("loss"), 0.5);
  EXPECT_EQ(metrics.get("dev"), 0.75) << "the last value is still known";
  EXPECT_TRUE(metrics.pending().empty());
  EXPECT_THAT(metrics.measurements(), ElementsAre(Pair("dev", 0.75)));
  metrics.measure("dev", 0.5);
  EXPECT_EQ(metrics.of_record("dev"), 0.5);
  EXPECT_THAT(metrics.names(), ElementsAre("dev", "loss"));
  EXPECT_TRUE(std::isnan(metrics.get("los")));
}

TEST(Metrics, RatesAreThoseOfTheLastSecondOrMore) {
  Metrics metrics;
  metrics.add_work(10, 100, 0.5);
  EXPECT_EQ(metrics.get("samples_per_second"), 20) << "the first rate does not wait for a second";
  metrics.add_work(10, 300, 1.5);
  EXPECT_EQ(metrics.get("samples_per_second"), 10);
  EXPECT_EQ(metrics.get("tokens_per_second"), 200);
  metrics.add_work(90, 900, 0.5);
  EXPECT_EQ(metrics.get("samples_per_second"), 10) << "half a second is too short";
  metrics.add_work(10, 100, 0.5);
  EXPECT_EQ(metrics.get("samples_per_second"), 100) << "of the last second alone";
}

}  // namespace
}  // namespace contrastive::run
