#include "core/mining/negative_selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace contrastive::mining {
namespace {

using ::testing::ElementsAre;

// Scores 0.9, 0.8, ... of the documents 0, 1, ...
std::vector<Candidate> ladder(int64_t count) {
  std::vector<Candidate> candidates;
  for (int64_t i = 0; i < count; ++i)
    candidates.push_back({i, 0.9f - 0.1f * static_cast<float>(i), Kinship::kNone});
  return candidates;
}

MiningOptions without_filters(int64_t num_negatives) {
  MiningOptions options;
  options.relative_margin = -kNoBound;
  options.num_negatives = num_negatives;
  return options;
}

std::vector<int64_t> documents(const std::vector<Negative>& negatives) {
  std::vector<int64_t> result;
  for (const Negative& negative : negatives) result.push_back(negative.document);
  return result;
}

TEST(Selection, EachFilterCountsWhatItTakesOut) {
  std::vector<Candidate> candidates = ladder(9);
  candidates[0].kinship = Kinship::kPositive;
  candidates[1].kinship = Kinship::kEqualText;
  MiningOptions options = without_filters(5);
  options.absolute_margin = 0.15;  // 0.7 + 0.15 is above 0.8, 0.6 + 0.15 is not
  options.relative_margin = 0.3;   // above 0.56: 0.6
  options.max_score = 0.45;        // 0.5
  options.min_score = 0.15;        // 0.1
  FilterCounts counts;
  EXPECT_THAT(documents(select_negatives(candidates, 0.8f, options, 100, 0, counts)),
              ElementsAre(5, 6, 7));
  EXPECT_EQ(
      counts.to_json().dump(),
      R"({"positive":1,"equal_text":1,"absolute_margin":1,"relative_margin":1,"max_score":1,"min_score":1})");
  EXPECT_EQ(counts.left(), 3);
}

TEST(Selection, TheRelativeMarginGoesDownWhereThePositiveIsNegative) {
  MiningOptions options = without_filters(3);
  options.relative_margin = 0.5;
  FilterCounts counts;
  const std::vector<Candidate> candidates = {{0, -0.25f, Kinship::kNone},
                                             {1, -0.35f, Kinship::kNone},
                                             {2, -0.2f, Kinship::kNone}};
  EXPECT_THAT(documents(select_negatives(candidates, -0.2f, options, 10, 0, counts)),
              ElementsAre(1));  // at most -0.2 - 0.1
}

TEST(Selection, RanksAreCountedAmongWhatIsLeft) {
  std::vector<Candidate> candidates = ladder(8);
  candidates[0].kinship = candidates[1].kinship = Kinship::kPositive;
  MiningOptions options = without_filters(2);
  options.range_min = 1;
  FilterCounts counts;
  const std::vector<Negative> negatives = select_negatives(candidates, 0.9f, options, 4, 0, counts);
  EXPECT_THAT(documents(negatives), ElementsAre(3, 4));
  EXPECT_EQ(negatives[0].rank, 1);
  options.num_negatives = 3;
  options.range_min = 3;
  EXPECT_THAT(documents(select_negatives(candidates, 0.9f, options, 4, 0, counts)), ElementsAre(5))
      << "one rank is between 3 and 4";
  options.range_min = 7;
  EXPECT_TRUE(select_negatives(candidates, 0.9f, options, 9, 0, counts).empty());
}

TEST(Selection, SortsAndKeepsTheOrderOfEqualScores) {
  FilterCounts counts;
  const std::vector<Candidate> candidates = {{4, 0.1f, Kinship::kNone},
                                             {9, 0.5f, Kinship::kNone},
                                             {2, 0.5f, Kinship::kNone}};
  EXPECT_THAT(documents(select_negatives(candidates, 1, without_filters(3), 10, 0, counts)),
              ElementsAre(9, 2, 4));
}

TEST(Selection, RandomDrawsEvenlyFromTheRangeAndIsAFunctionOfTheSeed) {
  MiningOptions options = without_filters(2);
  options.sampling = Sampling::kRandom;
  options.range_min = 1;
  FilterCounts counts;
  std::vector<int64_t> drawn(7);
  for (int64_t query = 0; query < 3000; ++query) {
    const std::vector<int64_t> chosen =
        documents(select_negatives(ladder(7), 1, options, 6, query, counts));
    ASSERT_EQ(chosen.size(), 2u);
    EXPECT_LT(chosen[0], chosen[1]) << "the nearer one first";
    for (const int64_t document : chosen) ++drawn[static_cast<size_t>(document)];
    EXPECT_EQ(chosen, documents(select_negatives(ladder(7), 1, options, 6, query, counts)));
  }
  EXPECT_EQ(drawn[0], 0);
  EXPECT_EQ(drawn[6], 0);
  for (size_t i = 1; i < 6; ++i) EXPECT_NEAR(static_cast<double>(drawn[i]), 1200, 120) << i;
  std::set<std::vector<int64_t>> by_seed;
  for (options.seed = 0; options.seed < 20; ++options.seed)
    by_seed.insert(documents(select_negatives(ladder(7), 1, options, 6, 0, counts)));
  EXPECT_GT(by_seed.size(), 3u);
}

TEST(Selection, RandomTakesAllWhereThereAreNoMore) {
  MiningOptions options = without_filters(5);
  options.sampling = Sampling::kRandom;
  FilterCounts counts;
  EXPECT_THAT(documents(select_negatives(ladder(3), 1, options, 10, 0, counts)),
              ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace contrastive::mining
