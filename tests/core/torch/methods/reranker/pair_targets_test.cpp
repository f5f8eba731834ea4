#include "core/torch/methods/reranker/pair_targets.h"

#include <ATen/TensorOperators.h>

#include "core/torch/methods/reranker/reranker.h"
#include "tests/expect_error.h"
#include "tests/core/torch/methods/method_tests.h"
#include "tests/core/torch/methods/reranker/reranker_tests.h"

namespace contrastive::methods {
namespace {

TEST(Reranker, RefusesExamplesThatTeachNothing) {
  const auto refused = [](const std::string& what, const std::string& part, const std::string& json,
                          const data::Batch& batch) {
    SCOPED_TRACE(what);
    const auto data = data::make_dataset();
    for (const data::Example& example : batch.examples) data->add(example);
    const auto method = further(json);
    expect_error(Status::kArgument, part, [&] { method->prepare(data.get(), nullptr); });
    if (part.rfind("none of", 0) == 0) return;  // a batch of such lists is warned of only
    expect_error(Status::kArgument, part, [&] { loss_of(*method, batch); });
  };
  data::Batch scored = some_pairs();
  for (data::Example& example : scored.examples) example.label = 3;
  refused("bare pairs", "neither a label nor hard negatives", "{}", some_pairs());
  refused("a label above 1", "takes labels from 0 to 1", "{}", scored);
  refused("lists of one", "none of the first 4 examples has a hard negative",
          R"({"reranker.loss": "listwise"})", scored);
  const auto lists_of_one = data::make_dataset();
  for (const data::Example& example : scored.examples) lists_of_one->add(example);
  expect_error(Status::kArgument,
               "config key 'reranker.loss' is lambda, which compares texts of one list", [&] {
                 further(R"({"reranker.loss": "lambda"})")->prepare(lists_of_one.get(), nullptr);
               });
  refused("no teacher", "no scores of a teacher", R"({"reranker.loss": "distillation"})",
          some_lists());
  data::Batch wrong = some_lists();
  for (data::Example& example : wrong.examples)
    example.scores.assign(1 + example.negatives.size(), 0.0);
  refused("nothing is right", "has a label above 0", R"({"reranker.loss": "listwise"})", wrong);
  data::Batch long_list = some_lists();
  long_list.examples[0].negatives.assign(64, "wrong");
  const auto lists = data::make_dataset();
  for (const data::Example& example : long_list.examples) lists->add(example);
  expect_error(Status::kLimit, "64 hard negatives, above the limit of 63",
               [&] { further("{}")->prepare(lists.get(), nullptr); });
  expect_error(Status::kArgument, "has one text only",
               [] { loss_of(*further("{}"), some_texts()); });
}

}  // namespace
}  // namespace contrastive::methods
