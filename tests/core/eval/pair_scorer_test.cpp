#include "core/eval/pair_scorer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::eval {
namespace {

TEST(ScorePairs, BlocksGiveTheRowsOfTheWhole) {
  std::vector<std::string> texts;
  for (int i = 0; i < 10'000; ++i) texts.push_back(std::to_string(i));
  std::vector<model::TextPair> pairs;
  for (const std::string& text : texts) pairs.push_back({text, text});
  size_t most = 0;
  const PairScorer scorer{2, [&](const std::vector<model::TextPair>& block, float* scores) {
                            most = std::max(most, block.size());
                            for (const model::TextPair& pair : block) {
                              *scores++ = std::stof(std::string(pair.first));
                              *scores++ = -1;
                            }
                          }};
  const std::vector<float> scores = score_pairs(pairs, scorer, nullptr);
  ASSERT_EQ(scores.size(), 20'000u);
  for (size_t i = 0; i < texts.size(); ++i) {
    ASSERT_EQ(scores[2 * i], static_cast<float>(i));
    ASSERT_EQ(scores[2 * i + 1], -1);
  }
  EXPECT_LT(most, pairs.size());
  Cancel cancel;
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled", [&] { score_pairs(pairs, scorer, &cancel); });
}

TEST(PairScorer, ARerankerHasNoKeysOfEmbeddings) {
  const auto reranker = model::CrossEncoder::load(fixtures() + "/rerankers/bert");
  const std::vector<model::TextPair> pairs{{"the cat", "a dog"}, {"red", "blue"}};
  std::vector<float> expected(2);
  reranker->score(pairs, {}, expected.data());
  EXPECT_EQ(score_pairs(pairs, pair_scorer(*reranker, {}, ChosenMetric::kModel, nullptr), nullptr),
            expected);
  expect_error(Status::kArgument, "'similarity' is about embeddings", [&] {
    pair_scorer(*reranker, {}, static_cast<ChosenMetric>(retrieval::Metric::kCosine), nullptr);
  });
  EncodeKeys keys;
  keys.pooling = "mean";
  expect_error(Status::kArgument, "'encode.pooling'",
               [&] { pair_scorer(*reranker, keys, ChosenMetric::kModel, nullptr); });
  keys = {};
  keys.truncate_dim = 2;
  expect_error(Status::kArgument, "'encode.truncate_dim'",
               [&] { pair_scorer(*reranker, keys, ChosenMetric::kModel, nullptr); });
}

}  // namespace
}  // namespace contrastive::eval
