#include <ATen/TensorOperators.h>

#include "tests/expect_error.h"
#include "tests/core/torch/methods/method_tests.h"

namespace contrastive::methods {
namespace {

TEST(Reranker, RefusesKeysOfOtherLosses) {
  for (const auto& [json, part] : std::vector<std::pair<std::string, std::string>>{
           {R"({"reranker.loss": "cosine"})", "reranker.loss"},
           {R"({"reranker.loss": "listwise", "reranker.positive_weight": 2})",
            "reranker.positive_weight"},
           {R"({"reranker.lambda_top": 2})", "reranker.lambda_top"},
           {R"({"reranker.teacher": "somewhere"})", "reranker.teacher"},
           {R"({"reranker.lora_rank": -1})", "reranker.lora_rank"},
           {R"({"reranker.lora_alpha": 4})", "reranker.lora_alpha"}}) {
    expect_error(Status::kArgument, part,
                 [&, text = json] { find_method("reranker").describe(Config::parse(text)); });
  }
  expect_error(Status::kNotFound, "nowhere: there is no such folder", [] {
    find_method("reranker")
        .describe(
            Config::parse(R"({"reranker.loss": "distillation", "reranker.teacher": "nowhere"})"));
  });
}

}  // namespace
}  // namespace contrastive::methods
