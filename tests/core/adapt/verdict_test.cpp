#include "core/adapt/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/mining/tables.h"

namespace contrastive::adapt {
namespace {

using ::testing::HasSubstr;

SearchFigures figures_of(const std::vector<double>& values) {
  SearchFigures figures;
  for (auto& each : figures.values) each = values;
  for (size_t i = 0; i < values.size(); ++i) {
    figures.ranks.push_back(values[i] > 0 ? 1 : 0);
    figures.firsts.push_back(static_cast<int64_t>(i) % 2);
  }
  return figures;
}

TEST(Verdict, ShipsWhatIsBetterAndSaysHowSureThatIs) {
  const Verdict sure = decide(figures_of({0, 0, 0.5, 0.5}), figures_of({1, 1, 1, 1}), {});
  EXPECT_TRUE(sure.ship);
  EXPECT_THAT(sure.reason,
              HasSubstr(
                  "ndcg@10 went from 0.2500 to 1.0000, a gain of +0.7500 (95 % interval +0.5"));
  AdaptOptions surer;
  surer.confidence = 0.999;
  EXPECT_THAT(decide(figures_of({0, 0.5}), figures_of({1, 1}), surer).reason,
              HasSubstr("(99.9 % interval"));
  const Verdict chance = decide(figures_of({0, 1, 0, 1}), figures_of({1, 0, 1, 1}), {});
  EXPECT_TRUE(chance.ship);
  EXPECT_THAT(chance.reason, HasSubstr("may be chance"));
}

TEST(Verdict, RefusesWhatIsNotBetterEnough) {
  const Verdict equal = decide(figures_of({0.5, 0.5}), figures_of({0.5, 0.5}), {});
  EXPECT_FALSE(equal.ship);
  EXPECT_THAT(equal.reason, HasSubstr("did not get better"));
  EXPECT_FALSE(decide(figures_of({1, 1}), figures_of({0, 1}), {}).ship);
  AdaptOptions options;
  options.min_gain = 0.3;
  const Verdict small = decide(figures_of({0.5, 0.5}), figures_of({0.7, 0.7}), options);
  EXPECT_FALSE(small.ship);
  EXPECT_THAT(small.reason, HasSubstr("below min_gain = 0.3"));
  options.min_gain = 0;
  options.require_significant = true;
  const Verdict unsure = decide(figures_of({0, 1, 0, 1}), figures_of({1, 0, 1, 1}), options);
  EXPECT_FALSE(unsure.ship);
  EXPECT_THAT(unsure.reason, HasSubstr("require_significant"));
}

TEST(Verdict, ShowsTheQueriesThatChangedMost) {
  const std::vector<AdaptPair> pairs = {{"q0", "d0"}, {"q1", "d1"}, {"q2", "d0"}};
  const std::vector<std::string> documents = {"d0", "d1"};
  const SearchTest test(pairs, nullptr, documents, nullptr);
  const Json examples =
      best_and_worst(test, figures_of({0, 1, 0.5}), figures_of({1, 0.5, 0.5}), 0, 5);
  EXPECT_EQ(examples["better_queries"], 1);
  EXPECT_EQ(examples["worse_queries"], 1);
  ASSERT_EQ(examples["better"].size(), 1u);
  EXPECT_EQ(examples["better"][0]["query"], "q0");
  EXPECT_TRUE(examples["better"][0]["rank_before"].is_null());
  EXPECT_EQ(examples["better"][0]["rank_after"], 1);
  EXPECT_EQ(examples["worse"][0]["query"], "q1");
  EXPECT_EQ(examples["worse"][0]["answers"][0], "d1");
  EXPECT_TRUE(
      best_and_worst(test, figures_of({0, 1, 0}), figures_of({1, 0, 0}), 0, 0)["better"].empty());
}

}  // namespace
}  // namespace contrastive::adapt
