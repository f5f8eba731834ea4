#include "core/torch/methods/frozen_scores.h"

#include <ATen/TensorOperators.h>

#include "tests/core/torch/methods/method_tests.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::methods {
namespace {

const std::string kRerankers = fixtures() + "/rerankers/";

TEST(FrozenScores, AreTheLogitsOfTheReranker) {
  FrozenScores scores("key", kRerankers + "bert", tiny_context());
  const std::vector<model::TextPair> pairs = {{"the cat", "a dog"},
                                              {"water", "a tree"},
                                              {"the cat", "a dog"}};
  const at::Tensor got = scores(pairs);
  model::ScoreOptions options;
  options.activation = "identity";
  float expected[3];
  model::CrossEncoder::load(kRerankers + "bert")->score(pairs, options, expected);
  for (int64_t i = 0; i < 3; ++i) EXPECT_NEAR(got[i].item<float>(), expected[i], 1e-5) << i;
  EXPECT_EQ(scores({}).size(0), 0);
}

// "ab" + "c" is not "a" + "bc".
TEST(FrozenScores, APairIsItsTwoTexts) {
  FrozenScores scores("key", kRerankers + "bert", tiny_context());
  const at::Tensor got = scores({{"the cat ", "sat"}, {"the ", "cat sat"}});
  EXPECT_NE(got[0].item<float>(), got[1].item<float>());
}

TEST(FrozenScores, ARunThatGoesOnHasTheVeryScores) {
  FrozenScores first("key", kRerankers + "bert", tiny_context()),
      second("key", kRerankers + "bert", tiny_context());
  const at::Tensor alone = first({{"the cat sat on the mat", "a dog"}});
  second.load(first.save());
  EXPECT_EQ(second.save().tensors.at("scores.values").size(0), 1);
  EXPECT_TRUE(second({{"a", "b"}, {"the cat sat on the mat", "a dog"}})[1].equal(alone[0]));
  expect_error(Status::kMismatch, "the saved run has no scores of a teacher",
               [&] { second.load({}); });
}

TEST(FrozenScores, AFolderKeepsThemAcrossRuns) {
  const TemporaryFolder folder;
  FrozenScores(std::string("key"), kRerankers + "bert",
               tiny_context(folder / "cache"))({{"the cat", "a dog"}});
  FrozenScores second("key", kRerankers + "bert", tiny_context(folder / "cache"));
  second({{"the cat", "a dog"}});
  EXPECT_EQ(second.save().tensors.at("scores.values").size(0), 0) << "only what the folder keeps";
}

TEST(FrozenScores, RefusesWhatGivesNoSingleScore) {
  expect_error(Status::kArgument, "config key 'distill.teacher'",
               [] { FrozenScores("distill.teacher", kRerankers + "bert_labels", tiny_context()); });
}

}  // namespace
}  // namespace contrastive::methods
