// Losses of single pairs against sentence-transformers' values, and against differences.
#include "core/torch/objectives/relevance.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/torch/objectives/distillation.h"
#include "tests/core/torch/objectives/finite_differences.h"
#include "tests/core/torch/objectives/json_matrix.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::objectives {
namespace {

at::Tensor row_of(const Json& values) {
  return at::tensor(values.get<std::vector<double>>(), at::kDouble);
}

TEST(Relevance, EqualsWhatSentenceTransformersComputes) {
  const Json test =
      read_json_file(fixtures() + "/../golden/methods/reranker.json").at("objectives");
  const at::Tensor logits = row_of(test.at("logits")), teacher = row_of(test.at("teacher"));
  EXPECT_NEAR(binary_relevance_loss(logits, row_of(test.at("probabilities")), 2.5).item<double>(),
              test.at("binary").get<double>(), 1e-6);
  EXPECT_NEAR(logit_squared_error(logits, teacher).item<double>(),
              test.at("distillation").get<double>(), 1e-5);
  const at::Tensor classes = at::tensor(test.at("classes").get<std::vector<int64_t>>(), at::kLong);
  EXPECT_NEAR(class_loss(matrix(test.at("class_logits")), classes).item<double>(),
              test.at("classes_loss").get<double>(), 1e-6);
  const CandidateScores student = {logits.index({at::tensor({0, 4}, at::kLong)}),
                                   logits.index({at::tensor({1, 2, 5, 6}, at::kLong)})};
  const CandidateScores taught = {teacher.index({at::tensor({0, 4}, at::kLong)}),
                                  teacher.index({at::tensor({1, 2, 5, 6}, at::kLong)})};
  const std::vector<int64_t> owners = {0, 0, 1, 1};
  EXPECT_NEAR(margin_squared_error(student, margins_of(taught, owners), owners).item<double>(),
              test.at("margin of two").get<double>(), 1e-5);
}

TEST(Relevance, GradientsAreThoseOfDifferences) {
  const at::Tensor logits = random_tensor({5}, 2), teacher = random_tensor({5}, 3),
                   labels = at::tensor({0.0, 1.0, 0.25, 1.0, 0.0}, at::kDouble);
  expect_gradient_by_differences(
      [&](const auto& in) { return binary_relevance_loss(in[0], labels, 3); }, {logits.clone()});
  expect_gradient_by_differences(
      [&](const auto& in) { return logit_squared_error(in[0], teacher); }, {logits.clone()});
  expect_gradient_by_differences(
      [&](const auto& in) { return class_loss(in[0], at::tensor({2, 0}, at::kLong)); },
      {random_tensor({2, 3}, 4)});
}

TEST(Relevance, RefusesOtherNumbersOfLabels) {
  const at::Tensor three = random_tensor({3}, 1), two = random_tensor({2}, 1);
  expect_error(Status::kMismatch, "each of the [3] logits needs its label, not [2]",
               [&] { binary_relevance_loss(three, two, 1); });
  expect_error(Status::kMismatch, "each of the [3] logits needs its label, not [2]",
               [&] { logit_squared_error(three, two); });
  expect_error(Status::kMismatch, "each row of the [3, 2] logits needs its class",
               [&] { class_loss(random_tensor({3, 2}, 1), at::tensor({0, 1}, at::kLong)); });
}

}  // namespace
}  // namespace contrastive::objectives
