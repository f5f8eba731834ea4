#include "core/torch/methods/reranker/trained_head.h"

#include <ATen/TensorOperators.h>

#include <cmath>

#include "tests/core/torch/methods/method_tests.h"
#include "tests/core/torch/methods/reranker/reranker_tests.h"
#include "tests/fixtures_folder.h"
#include "tests/expect_error.h"

namespace contrastive::methods {
namespace {

TEST(Reranker, RefusesHeadsThatDoNotFitTheLoss) {
  expect_error(Status::kArgument, "one label", [] { further(R"({"reranker.loss": "classes"})"); });
  expect_error(Status::kArgument,
               "the reranker has 3 labels, but config key 'reranker.loss' is binary, which "
               "trains a reranker of one label: take classes",
               [] { further("{}", "bert_labels"); });
  expect_error(Status::kArgument, "reranker.labels", [] { further(R"({"reranker.labels": 2})"); });
  expect_error(Status::kArgument, "reranker.teacher", [] {
    further(R"({"reranker.loss": "distillation", "reranker.teacher": ")" +
            reranker_folder("bert_labels") + "\"}");
  });
  expect_error(Status::kUnsupported, "model_type 'SentenceTransformer' is not known", [&] {
    further(R"({"reranker.loss": "distillation", "reranker.teacher": ")" + fixtures() +
            "/models/bert_st\"}");
  });  // a sentence encoder cannot teach scores
}

TEST(Reranker, ClassesAreThoseOfTheHead) {
  data::Batch batch = some_pairs();
  for (size_t i = 0; i < batch.examples.size(); ++i)
    batch.examples[i].label = static_cast<double>(i % 3);
  const auto method = further(R"({"reranker.loss": "classes"})", "bert_labels");
  EXPECT_TRUE(std::isfinite(loss_of(*method, batch)));
  batch.examples[1].label = 3;
  expect_error(Status::kArgument, "from 0 to 2", [&] { loss_of(*method, batch); });
  batch.examples[1].label = 1;
  batch.examples[1].negatives = {"a text"};
  expect_error(Status::kArgument, "takes pairs with a class each",
               [&] { loss_of(*method, batch); });
}

}  // namespace
}  // namespace contrastive::methods
