#include "core/mining/score_summary.h"

#include <gtest/gtest.h>

namespace contrastive::mining {
namespace {

// numpy's figures: quartiles of 1, 2, 4, 8; torch.median takes the lower middle.
TEST(ScoreSummary, SaysWhatAListLooksLike) {
  std::vector<float> scores = {4, 1, 8, 2};
  const Json json = summary_of(scores);
  EXPECT_EQ(json["count"], 4);
  EXPECT_DOUBLE_EQ(json["mean"], 3.75);
  EXPECT_DOUBLE_EQ(json["median"], 2);
  EXPECT_NEAR(json["std"].get<double>(), 3.0956959, 1e-6);
  EXPECT_DOUBLE_EQ(json["min"], 1);
  EXPECT_DOUBLE_EQ(json["q25"], 1.75);
  EXPECT_DOUBLE_EQ(json["q50"], 3);
  EXPECT_DOUBLE_EQ(json["q75"], 5);
  EXPECT_DOUBLE_EQ(json["max"], 8);
}

TEST(ScoreSummary, WhatIsNotDefinedIsNull) {
  std::vector<float> one = {0.5f}, none;
  EXPECT_TRUE(summary_of(one)["std"].is_null());
  EXPECT_DOUBLE_EQ(summary_of(one)["q75"], 0.5);
  EXPECT_EQ(summary_of(none)["count"], 0);
  EXPECT_TRUE(summary_of(none)["mean"].is_null());
}

}  // namespace
}  // namespace contrastive::mining
