#include "core/adapt/pair_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/core/mining/tables.h"
#include "tests/expect_error.h"

namespace contrastive::adapt {
namespace {

using ::testing::HasSubstr;

// Pairs without similar ones: each has its own words.
std::vector<AdaptPair> pairs_of(int64_t count) {
  std::vector<AdaptPair> pairs;
  for (int64_t i = 0; i < count; ++i)
    pairs.push_back({cat("query", i, " about", i), cat("answer", i, " text", i)});
  return pairs;
}

std::set<std::string> texts_of(const std::vector<AdaptPair>& pairs) {
  std::set<std::string> texts;
  for (const AdaptPair& pair : pairs) texts.insert({pair.anchor, pair.positive});
  return texts;
}

bool apart(const std::vector<AdaptPair>& a, const std::vector<AdaptPair>& b) {
  const std::set<std::string> first = texts_of(a);
  for (const std::string& text : texts_of(b)) {
    if (first.count(text) > 0) return false;
  }
  return true;
}

TEST(PairSplit, DealsOutTheSharesBySeed) {
  const std::vector<AdaptPair> pairs = pairs_of(200);
  const PairSplit split = split_pairs(pairs, {}, {}, nullptr);
  EXPECT_EQ(split.test.size(), 40u);
  EXPECT_EQ(split.dev.size(), 20u);
  EXPECT_EQ(split.train.size(), 140u);
  EXPECT_EQ(split.groups, 200);
  EXPECT_TRUE(apart(split.train, split.test) && apart(split.train, split.dev) &&
              apart(split.dev, split.test));
  EXPECT_EQ(texts_of(split_pairs(pairs, {}, {}, nullptr).test), texts_of(split.test));
  SplitOptions other;
  other.seed = 2;
  EXPECT_NE(texts_of(split_pairs(pairs, {}, other, nullptr).test), texts_of(split.test));
}

TEST(PairSplit, PairsThatShareATextStayOnOneSide) {
  std::vector<AdaptPair> pairs = pairs_of(300);
  for (size_t i = 0; i < 300; i += 3) {
    pairs[i + 1].anchor = pairs[i].anchor;
    pairs[i + 2].positive = "  " + pairs[i + 1].positive;
  }
  const PairSplit split = split_pairs(pairs, {}, {}, nullptr);
  EXPECT_EQ(split.groups, 100);
  EXPECT_EQ(split.test.size() % 3, 0u);
  EXPECT_EQ(split.dev.size() % 3, 0u);
  EXPECT_TRUE(apart(split.train, split.test) && apart(split.train, split.dev));
}

TEST(PairSplit, WhatIsNearlyHeldOutIsNotTrainedOn) {
  std::vector<AdaptPair> pairs = pairs_of(200);
  for (AdaptPair& pair : pairs)
    pair.anchor += " one two three four five six seven eight " + pair.anchor;
  std::vector<AdaptPair> twins = pairs;
  for (size_t i = 0; i < twins.size(); ++i)
    twins[i] = {twins[i].anchor + " now", cat("other", i, " words", i)};
  pairs.insert(pairs.end(), twins.begin(), twins.end());
  const PairSplit split = split_pairs(pairs, {}, {}, nullptr);
  std::set<std::string> held_out = texts_of(split.test);
  held_out.merge(texts_of(split.dev));
  EXPECT_GT(split.train_near, 20);
  EXPECT_EQ(static_cast<int64_t>(split.train.size() + split.dev.size() + split.test.size()) +
                split.train_near + split.dev_near,
            400);
  for (const AdaptPair& pair : split.train) {
    EXPECT_EQ(held_out.count(pair.anchor + " now"), 0u);
    EXPECT_EQ(held_out.count(pair.anchor.substr(0, pair.anchor.rfind(" now"))), 0u);
  }
}

TEST(PairSplit, TooFewPairsSayHowManyAreNeeded) {
  expect_error(Status::kArgument, "there are 99 distinct pairs, and at least 100 are needed",
               [] { split_pairs(pairs_of(99), {}, {}, nullptr); });
  EXPECT_EQ(split_pairs(pairs_of(100), {}, {}, nullptr).test.size(), 20u);
  SplitOptions half;
  half.test_share = 0.5;
  half.own_dev = true;
  EXPECT_EQ(split_pairs(pairs_of(40), pairs_of(10), half, nullptr).test.size(), 20u);
}

TEST(PairSplit, PairsThatAllHangTogetherCannotBeSplit) {
  std::vector<AdaptPair> pairs = pairs_of(200);
  for (AdaptPair& pair : pairs) pair.positive = "the same answer";
  expect_error(Status::kArgument, "in 1 groups, the largest of 200 pairs",
               [&] { split_pairs(pairs, {}, {}, nullptr); });
}

TEST(PairSplit, AGivenDevPartStaysWhole) {
  std::vector<AdaptPair> pairs = pairs_of(100);
  SplitOptions options;
  options.own_dev = true;
  const std::vector<AdaptPair> dev(pairs.begin(), pairs.begin() + 20);
  const PairSplit split = split_pairs(pairs, dev, options, nullptr);
  EXPECT_EQ(split.dev.size(), 20u);
  EXPECT_TRUE(apart(split.train, dev)) << "pairs of the dev file are not trained on";
  expect_error(Status::kArgument, "the dev file has 1 distinct pairs",
               [&] { split_pairs(pairs, {dev[0]}, options, nullptr); });
}

TEST(PairSplit, ADevFileOfThePairsThemselvesIsToldFromOneThatIsLikeThem) {
  std::vector<AdaptPair> pairs = pairs_of(100);
  for (AdaptPair& pair : pairs)
    pair.anchor += " one two three four five six seven eight " + pair.anchor;
  SplitOptions options;
  options.own_dev = true;
  const auto refusal = [&](const std::vector<AdaptPair>& dev) {
    return expect_error(Status::kArgument, "0 pairs are left to train on",
                        [&] { split_pairs(pairs, dev, options, nullptr); });
  };
  const std::string same = refusal(pairs);
  EXPECT_THAT(same,
              HasSubstr(
                  "80 of these share one with it word for word. Give a dev file of other pairs"));
  EXPECT_THAT(same, ::testing::Not(HasSubstr("raise near_duplicate"))) << "which would not help";
  std::vector<AdaptPair> like = pairs;
  for (size_t i = 0; i < like.size(); ++i)
    like[i] = {like[i].anchor + " now", cat("other", i, " words", i)};
  EXPECT_THAT(refusal(like), HasSubstr("raise near_duplicate"));
}

}  // namespace
}  // namespace contrastive::adapt
