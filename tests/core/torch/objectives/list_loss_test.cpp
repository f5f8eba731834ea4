// List losses against sentence-transformers' values, and against differences.
#include "core/torch/objectives/list_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/base/json.h"
#include "tests/core/torch/objectives/finite_differences.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::objectives {
namespace {

at::Tensor numbers(const Json& values) {
  return at::tensor(values.get<std::vector<double>>(), at::kDouble);
}

Json reference() {
  return read_json_file(fixtures() + "/../golden/methods/reranker.json").at("objectives");
}

ScoredLists lists_of(const Json& test) {
  return {numbers(test.at("logits")), numbers(test.at("labels")),
          test.at("lengths").get<std::vector<int64_t>>()};
}

TEST(ListLoss, EqualsWhatSentenceTransformersComputes) {
  const Json test = reference();
  const ScoredLists lists = lists_of(test);
  EXPECT_NEAR(list_cross_entropy(lists, ListTarget::kSoftmax).item<double>(),
              test.at("listnet").get<double>(), 1e-6);
  for (const auto& [name, weights] : std::vector<std::pair<std::string, LambdaWeights>>{
           {"ndcg-loss2++", LambdaWeights::kNdcgLoss2PlusPlus},
           {"ndcg-loss2", LambdaWeights::kNdcgLoss2},
           {"lambdarank", LambdaWeights::kLambdaRank},
           {"none", LambdaWeights::kNone}}) {
    for (const int64_t top : {0, 2}) {
      const std::string key = cat("lambda ", name, " ", top);
      EXPECT_NEAR(lambda_loss(lists, weights, top).item<double>(), test.at(key).get<double>(), 1e-5)
          << key;
    }
  }
}

TEST(ListLoss, SharesOfTheLabelsAreAnOrdinaryCrossEntropy) {
  const at::Tensor logits = at::tensor({1.0, -0.5, 2.0, 0.3}, at::kDouble);
  const double first = std::log(std::exp(1.0) + std::exp(-0.5)) - 1,
               second = std::log(std::exp(2.0) + std::exp(0.3)) - 0.25 * 2 - 0.75 * 0.3;
  const ScoredLists lists = {logits, at::tensor({1.0, 0.0, 1.0, 3.0}, at::kDouble), {2, 2}};
  EXPECT_NEAR(list_cross_entropy(lists, ListTarget::kShare).item<double>(), (first + second) / 2,
              1e-12);
  expect_error(Status::kArgument, "the labels of a list must not be below 0, and one", [&] {
    list_cross_entropy({logits, at::tensor({1.0, 0.0, 0.0, 0.0}, at::kDouble), {2, 2}},
                       ListTarget::kShare);
  });
  expect_error(Status::kArgument, "the labels of a list must not be below 0, and one", [&] {
    list_cross_entropy({logits, at::tensor({1.0, -1.0, 0.0, 2.0}, at::kDouble), {2, 2}},
                       ListTarget::kShare);
  });
}

TEST(ListLoss, GradientsAreThoseOfDifferences) {
  const at::Tensor labels = at::tensor({1.0, 0.0, 2.0, 1.0, 0.0, 0.0}, at::kDouble);
  const auto lists = [&](const std::vector<at::Tensor>& in) {
    return ScoredLists{in[0], labels, {3, 2, 1}};
  };
  const at::Tensor logits = random_tensor({6}, 5);
  expect_gradient_by_differences(
      [&](const auto& in) { return list_cross_entropy(lists(in), ListTarget::kSoftmax); },
      {logits.clone()});
  for (const LambdaWeights weights : {LambdaWeights::kNdcgLoss2PlusPlus, LambdaWeights::kNone}) {
    expect_gradient_by_differences(
        [&](const auto& in) { return lambda_loss(lists(in), weights, 0); }, {logits.clone()});
  }
}

TEST(ListLoss, ListsThatAskForNoOrderTeachNothing) {
  at::Tensor logits = random_tensor({3}, 7).requires_grad_(true);
  const at::Tensor loss = lambda_loss({logits, at::tensor({1.0, 1.0, 0.0}, at::kDouble), {2, 1}},
                                      LambdaWeights::kLambdaRank, 0);
  EXPECT_EQ(loss.item<double>(), 0);
  loss.backward();
  EXPECT_EQ(logits.grad().abs().max().item<double>(), 0);
}

TEST(ListLoss, RefusesListsThatDoNotAddUp) {
  const at::Tensor three = random_tensor({3}, 1);
  expect_error(Status::kMismatch, "lists of 2 documents have 3 logits",
               [&] { lambda_loss({three, three, {2}}, LambdaWeights::kNone, 0); });
  expect_error(Status::kMismatch, "list 1 is empty",
               [&] { lambda_loss({three, three, {3, 0}}, LambdaWeights::kNone, 0); });
  expect_error(Status::kMismatch, "each of the [3] logits needs its label, not [2]", [&] {
    list_cross_entropy({three, random_tensor({2}, 1), {3}}, ListTarget::kSoftmax);
  });
}

}  // namespace
}  // namespace contrastive::objectives
