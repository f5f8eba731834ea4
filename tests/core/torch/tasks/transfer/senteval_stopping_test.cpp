#include "core/torch/tasks/transfer/senteval_stopping.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace contrastive::eval {
namespace {

// One letter a round until it stops: B better, w not.
std::string course(int64_t tenacity, const std::vector<double>& scores) {
  SentEvalStopping stopping(tenacity);
  std::string rounds;
  for (const double score : scores) {
    rounds += stopping.better(score) ? 'B' : 'w';
    if (stopping.stopped()) break;
  }
  return rounds;
}

TEST(SentEvalStopping, TheRoundAfterTenacityWorseOnesIsTheLast) {
  EXPECT_EQ(course(2, {.5, .4, .4, .4, .9}), "Bwww");
  EXPECT_EQ(course(0, {.5, .4, .9}), "Bw");
}

TEST(SentEvalStopping, TheCountIsNeverSetBack) {
  EXPECT_EQ(course(2, {.5, .4, .6, .6, .7, .1, .9}), "BwBwBw");
  EXPECT_EQ(course(3, {.1, .0, .2, .0, .3, .0, .4, .5, .0, .6}), "BwBwBwBBw");
}

TEST(SentEvalStopping, OnlyStrictlyBetterCounts) {
  EXPECT_EQ(course(1, {.5, .5, .5, .6}), "Bww");
  SentEvalStopping stopping(5);
  EXPECT_TRUE(stopping.better(-1)) << "the first score is the best so far, however low";
  EXPECT_FALSE(stopping.better(-2));
  EXPECT_EQ(stopping.best(), -1);
}

TEST(SentEvalStopping, NotANumberIsNeverTheBest) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(course(2, {kNan, -.5, kNan, kNan, .9}), "wBww");
  SentEvalStopping stopping(0);
  EXPECT_FALSE(stopping.better(kNan));
  EXPECT_TRUE(std::isnan(stopping.best()));
}

}  // namespace
}  // namespace contrastive::eval
