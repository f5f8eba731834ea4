#include "core/torch/run/early_stopping.h"

#include <gmock/gmock.h>

#include <cmath>

namespace contrastive::run {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(EarlyStopping, KeepsTheStrictlyBest) {
  EarlyStopping stopping(StopRule::kBest, 0);
  EXPECT_TRUE(stopping.offer(-0.5, 1));  // a bad first score still counts
  EXPECT_TRUE(stopping.offer(0.7, 2));
  EXPECT_FALSE(stopping.offer(0.7, 3));
  EXPECT_FALSE(stopping.offer(0.6, 4));
  EXPECT_EQ(stopping.best_step(), 2);
  EXPECT_FALSE(stopping.exhausted());
}

TEST(EarlyStopping, NotANumberIsNeverTheBest) {
  EarlyStopping stopping(StopRule::kBest, 3);
  EXPECT_FALSE(stopping.offer(kNan, 1));
  EXPECT_EQ(stopping.best_step(), -1);
  EXPECT_TRUE(stopping.offer(0.1, 2));
  EXPECT_FALSE(stopping.offer(kNan, 3));
  EXPECT_DOUBLE_EQ(stopping.best(), 0.1);
  EXPECT_TRUE(std::isnan(stopping.last()));
}

TEST(EarlyStopping, NotANumberIsWorseThanAny) {
  for (const StopRule rule : {StopRule::kBest, StopRule::kPrevious}) {
    EarlyStopping stopping(rule, 3), again(rule, 3), collapsed(rule, 3);
    for (const double score : {0.5, kNan, kNan}) stopping.offer(score, 1);
    EXPECT_FALSE(stopping.exhausted()) << "two without improvement";
    again.restore(parse_json(dump_ascii(stopping.state()), "state"));
    again.offer(0.4, 2);
    EXPECT_TRUE(again.exhausted()) << "below 0.5, the best and the last number before";
    for (int i = 0; i < 3; ++i) collapsed.offer(kNan, i);
    EXPECT_TRUE(collapsed.exhausted()) << "a run without any number ends too";
  }
}

TEST(EarlyStopping, BestRuleCountsFromTheLastBest) {
  EarlyStopping stopping(StopRule::kBest, 2);
  for (const double score : {0.5, 0.4, 0.6, 0.5}) stopping.offer(score, 1);
  EXPECT_FALSE(stopping.exhausted());
  stopping.offer(0.55, 2);
  EXPECT_TRUE(stopping.exhausted());
}

TEST(EarlyStopping, PreviousRuleCountsEveryFallAndNeverForgets) {
  EarlyStopping stopping(StopRule::kPrevious, 3);
  for (const double score : {0.5, 0.4, 0.6, 0.55, 0.56}) stopping.offer(score, 1);
  EXPECT_FALSE(stopping.exhausted());
  stopping.offer(0.5, 2);
  EXPECT_TRUE(stopping.exhausted());
}

TEST(EarlyStopping, GoesOnFromItsState) {
  for (const bool offered : {false, true}) {
    EarlyStopping one(StopRule::kBest, 2), two(StopRule::kBest, 2);
    if (offered) one.offer(0.123456789012345678, 7), one.offer(0.1, 8);
    two.restore(parse_json(dump_ascii(one.state()), "state"));
    EXPECT_EQ(dump_ascii(one.state()), dump_ascii(two.state()));
    EXPECT_EQ(one.offer(0.11, 9), two.offer(0.11, 9));
    EXPECT_EQ(one.exhausted(), two.exhausted());
  }
}

}  // namespace
}  // namespace contrastive::run
