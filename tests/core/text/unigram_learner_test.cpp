#include "core/text/unigram_learner.h"
#include "tests/expect_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace contrastive::text {
namespace {

double score_of(const UnigramLearner::Pieces& pieces, const std::string& piece) {
  for (const auto& [text, score] : pieces) {
    if (text == piece) return score;
  }
  return -1e9;
}

TEST(UnigramLearner, FrequentPartsOfWordsBecomePieces) {
  const UnigramLearner::Words words = {
      {"ab", 10}, {"abab", 40}, {"abc", 30}, {"cab", 20}, {"xyz", 1}};
  UnigramLearner learner(words, 2);
  const auto pieces = learner.learn(8);
  EXPECT_EQ(pieces.size(), 8u);
  EXPECT_GT(score_of(pieces, "abab"), score_of(pieces, "a"));
  for (const char* character : {"a", "b", "c", "x", "y", "z"})
    EXPECT_GT(score_of(pieces, character), -1e9) << character;
  double sum = 0;
  for (const auto& piece : pieces) sum += std::exp(piece.second);
  EXPECT_LE(sum, 1 + 1e-9);
}

TEST(UnigramLearner, EveryCharacterStaysHoweverFewPiecesAreWanted) {
  const UnigramLearner::Words words = {{"aé中", 5}, {"aé", 5}};
  EXPECT_EQ(UnigramLearner(words, 2).learn(1).size(), 3u);
}

TEST(UnigramLearner, CanBeCancelled) {
  const UnigramLearner::Words words = {{"abc", 5}};
  Cancel cancel;
  UnigramLearner learner(words, 2, &cancel);
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled", [&] { learner.learn(4); });
  expect_error(Status::kCancelled, "cancelled", [&] { UnigramLearner(words, 2, &cancel); });
}

}  // namespace
}  // namespace contrastive::text
