#include <ATen/TensorOperators.h>

#include "tests/core/torch/methods/distill/distill_tests.h"
#include "tests/core/torch/methods/method_tests.h"
#include "tests/expect_error.h"

namespace contrastive::methods {
namespace {

TEST(Distill, RefusesWhatSaysNothingOrContradictsItself) {
  const std::string st = kModels + "bert_st";
  for (const auto& [json, part] : std::vector<std::pair<std::string, std::string>>{
           {R"({"distill.temperature": 2})",
            "'distill.temperature' is set, but it goes with distill.loss = scores only"},
           {R"({"distill.similarity": "cosine"})", "margin_mse or scores only"},
           {keys(st, R"("distill.loss": "margin_mse", "distill.projection": "linear")"),
            "embedding_mse only"},
           {keys(st, R"("distill.pca_texts": 100)"), "distill.teacher_pca only"},
           {keys(st, R"("distill.teacher_pca": true, "distill.projection": "linear")"),
            "exclude each other"},
           {R"({"distill.teacher_pca": true})", "its own teacher"},
           {keys(kReranker), "is a reranker, which gives scores and no vectors"}}) {
    expect_error(Status::kArgument, part,
                 [&, text = json] { find_method("distill").describe(Config::parse(text)); });
  }
  expect_error(Status::kNotFound, "config key 'distill.teacher': /no/such/folder",
               [&] { find_method("distill").describe(Config::parse(keys("/no/such/folder"))); });
}

TEST(Distill, TraitsFollowTheLoss) {
  const auto traits = [](const std::string& json) {
    return find_method("distill").describe(Config::parse(json));
  };
  EXPECT_FALSE(traits("{}").needs_pairs);
  EXPECT_TRUE(traits("{}").caches);
  EXPECT_FALSE(traits("{}").hard_negatives);
  EXPECT_TRUE(traits(R"({"distill.second_texts": "own"})").hard_negatives);
  const MethodTraits margins = traits(R"({"distill.loss": "margin_mse"})");
  EXPECT_TRUE(margins.needs_pairs && margins.needs_labels && margins.hard_negatives &&
              margins.scores);
  EXPECT_FALSE(margins.caches);
  EXPECT_FALSE(traits(keys(kReranker, R"("distill.loss": "margin_mse")")).needs_labels);
}

}  // namespace
}  // namespace contrastive::methods
