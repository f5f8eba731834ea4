// Masked language modelling's loss against published-formula values and finite differences.
#include "core/torch/objectives/mlm_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/torch/objectives/nt_xent.h"
#include "core/runtime/threads.h"
#include "tests/core/torch/objectives/finite_differences.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::objectives {
namespace {

Json vectors(const std::string& part) {
  return read_json_file(fixtures() + "/clear_vectors.json").at(part);
}

at::Tensor flat(const Json& nested, at::ScalarType type) {
  std::vector<double> values;
  for (const Json& item : nested.flatten()) values.push_back(item);
  return at::tensor(values, at::kDouble).to(type);
}

TEST(MlmLoss, EqualsThePublishedValues) {
  const Json test = vectors("mlm");
  const at::Tensor logits = flat(test.at("logits"), at::kDouble).view({-1, 4}),
                   labels = flat(test.at("labels"), at::kLong);
  const Json& expected = test.at("expected");
  const MlmLoss loss = mlm_loss(logits, labels);
  EXPECT_EQ(loss.count, expected.at("n_masked").get<int64_t>());
  EXPECT_NEAR(loss.sum.item<double>(), expected.at("sum").get<double>(), 1e-10);
  EXPECT_NEAR(loss.sum.item<double>() / static_cast<double>(loss.count),
              expected.at("mean").get<double>(), 1e-10);
  EXPECT_NEAR(mlm_loss(logits.to(at::kFloat), labels).sum.item<double>(),
              expected.at("sum").get<double>(), 1e-5);
  size_t next = 0;
  for (int64_t i = 0; i < labels.size(0); ++i) {
    const MlmLoss one = mlm_loss(logits.narrow(0, i, 1), labels.narrow(0, i, 1));
    if (one.count == 1) {
      EXPECT_NEAR(one.sum.item<double>(),
                  expected.at("per_masked_position").at(next++).get<double>(), 1e-10);
    }
  }
  EXPECT_EQ(next, 3u);
  EXPECT_EQ(test.at("ignore_index"), kNoLabel);
}

TEST(MlmLoss, NothingToPredictIsZeroWithZeroGradient) {
  const at::Tensor none = at::tensor(std::vector<int64_t>{kNoLabel, kNoLabel});
  at::Tensor logits = random_tensor({2, 5}, 1).requires_grad_(true),
             empty = at::zeros({0, 5}).requires_grad_(true);
  const MlmLoss loss = mlm_loss(logits, none), nothing = mlm_loss(empty, none.narrow(0, 0, 0));
  EXPECT_EQ(loss.count, 0);
  EXPECT_EQ(loss.sum.item<double>(),
            vectors("mlm").at("no_masked_position").at("expected").get<double>());
  EXPECT_EQ(nothing.sum.item<double>(), 0);
  (loss.sum + nothing.sum).backward();
  EXPECT_EQ(logits.grad().abs().max().item<double>(), 0);
  EXPECT_EQ(empty.grad().numel(), 0);
}

TEST(MlmLoss, GradientByDifferences) {
  const at::Tensor labels = at::tensor(std::vector<int64_t>{3, kNoLabel, 0, 4});
  expect_gradient_by_differences([&](const auto& x) { return mlm_loss(x[0], labels).sum; },
                                 {random_tensor({4, 5}, 2)});
}

// A vocabulary so large that the threads of the pool share its rows.
TEST(MlmLoss, ManyWordsGiveLibTorchsNumbersOnAnyNumberOfThreads) {
  const int before = runtime::threads();
  std::vector<int64_t> words;
  for (int64_t i = 0; i < 37; ++i) words.push_back(i % 5 == 0 ? kNoLabel : i * 500);
  const at::Tensor labels = at::tensor(words), x = random_tensor({37, 20000}, 3).to(at::kFloat) * 4;
  const auto run = [&](const at::Tensor& values, const auto& loss) {
    const at::Tensor logits = values.clone().requires_grad_(true);
    const at::Tensor sum = loss(logits);
    (sum * 0.5).backward();
    return std::vector<at::Tensor>{sum.detach(), logits.grad()};
  };
  // In float64, because in float32 LibTorch's own error is larger than this on some processors.
  const auto theirs = run(x.to(at::kDouble), [&](const at::Tensor& logits) {
    return at::cross_entropy_loss(logits, labels, {}, at::Reduction::Sum, kNoLabel);
  });
  std::vector<std::vector<at::Tensor>> ours;
  for (const int threads : {1, 2, 5}) {
    runtime::set_threads(threads);
    ours.push_back(run(x, [&](const at::Tensor& logits) { return mlm_loss(logits, labels).sum; }));
    for (size_t i = 0; i < theirs.size(); ++i) {
      EXPECT_TRUE(ours.back()[i].equal(ours[0][i])) << threads;
      EXPECT_TRUE(ours.back()[i].to(at::kDouble).allclose(theirs[i], 1e-5, 1e-7)) << i;
    }
  }
  runtime::set_threads(before);
}

TEST(MlmLoss, HalfPrecisionIsComputedInFloat) {
  const at::Tensor labels = at::tensor(std::vector<int64_t>{1});
  const at::Tensor logits = at::tensor(std::vector<double>{300, 299, 0}).view({1, 3});
  EXPECT_NEAR(mlm_loss(logits.to(at::kHalf), labels).sum.item<double>(),
              mlm_loss(logits, labels).sum.item<double>(), 1e-6);
  EXPECT_EQ(mlm_loss(logits.to(at::kBFloat16), labels).sum.scalar_type(), at::kFloat);
}

TEST(MlmLoss, RefusesLabelsOfAnotherNumber) {
  expect_error(Status::kMismatch, "masked language modelling needs a label for each row",
               [&] { mlm_loss(at::zeros({2, 5}), at::tensor(std::vector<int64_t>{1})); });
}

// CLEAR's total by eq. 3, with the mean of eq. 1, and with eq. 2 as printed.
TEST(MlmLoss, AddsUpToClearsTotal) {
  const Json test = vectors("joint").at("clear");
  const auto matrix = [](const Json& rows) {
    return flat(rows, at::kDouble).view({static_cast<int64_t>(rows.size()), -1});
  };
  NtXentOptions options;
  options.temperature = test.at("tau");
  const double mlm = test.at("L_mlm_mean");
  EXPECT_NEAR(mlm + nt_xent(matrix(test.at("z1")), matrix(test.at("z2")), options).item<double>(),
              test.at("total_mean_cl").get<double>(), 1e-9);
  options.reduction = Reduction::kSum;
  EXPECT_NEAR(mlm + nt_xent(matrix(test.at("z1")), matrix(test.at("z2")), options).item<double>(),
              test.at("total_sum_cl_paper_eq2").get<double>(), 1e-9);
}

}  // namespace
}  // namespace contrastive::objectives
