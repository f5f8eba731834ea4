#include <gtest/gtest.h>

#include "core/eval/evaluate.h"
#include "core/model/cross_encoder.h"
#include "tests/expect_error.h"
#include "tests/core/eval/tasks.h"
#include "tests/temporary_folder.h"

namespace contrastive::eval {
namespace {

TEST(RerankingTask, OrdersTheDocumentsByEitherKindOfModel) {
  const TemporaryFolder folder;
  const std::string lists = folder.write("lists.tsv", "red\tred\tstock markets fell\n");
  const auto reranker = model::CrossEncoder::load(fixtures() + "/rerankers/bert");
  const Config keys = config({{"data", lists}, {"k", "2,1,2"}});
  const Json by_vectors = evaluate(encoder(), "reranking", keys, nullptr),
             by_scores = evaluate(*reranker, "reranking", keys, nullptr);
  EXPECT_EQ(by_vectors["map"], 1.0) << "a text is nearest to itself";
  for (const Json* report : {&by_vectors, &by_scores}) {
    EXPECT_EQ((*report)["queries"], 1);
    EXPECT_EQ((*report)["documents"], 2);
    EXPECT_TRUE((*report)["mrr@1"].is_number());
    EXPECT_TRUE((*report)["mrr@2"].is_number());
    EXPECT_EQ(report->size(), 9u);
  }
}

TEST(RerankingTask, RefusesKeysThatARerankerDoesNotHave) {
  const auto reranker = model::CrossEncoder::load(fixtures() + "/rerankers/bert");
  expect_error(Status::kArgument, "document_prompt", [&] {
    evaluate(*reranker, "reranking", config({{"document_prompt", "passage: "}}), nullptr);
  });
  expect_error(Status::kArgument, "data is not set",
               [&] { evaluate(*reranker, "reranking", {}, nullptr); });
  expect_error(Status::kArgument, "data is not set",
               [] { evaluate(encoder(), "reranking", {}, nullptr); });
}

}  // namespace
}  // namespace contrastive::eval
