// In-batch InfoNCE against published-formula values, against a loop over the definition, and its gradient against finite differences.
#include "core/objectives/in_batch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/base/error.h"
#include "core/base/json.h"
#include "tests/core/objectives/finite_differences.h"
#include "tests/core/objectives/json_matrix.h"

namespace contrastive::objectives {
namespace {

at::Tensor numbers(std::vector<int64_t> values) { return at::tensor(values, at::kLong); }

// Four anchors, four positives, five hard negatives of anchors 0, 0, 2, 3 and 3. Anchors 0 and 2 have one text, as have positive 1 and the last
// hard negative.
InBatchVectors sample() {
  InBatchVectors v{random_tensor({4, 5}, 1), random_tensor({4, 5}, 2), random_tensor({5, 5}, 3), numbers({0, 0, 2, 3, 3})};
  v.anchor_ids = numbers({10, 11, 10, 13});
  v.positive_ids = numbers({20, 21, 22, 10});
  v.negative_ids = numbers({30, 31, 32, 33, 21});
  return v;
}

TEST(InBatch, EqualsTheTestVectorsOfOneSidedInfoNce) {
  int found = 0;
  const Json all = read_json_file(std::string(CONTRASTIVE_FIXTURES) + "/vectors.json");
  for (const Json& test : all.at("nt_xent")) {
    if (test.at("name").get<std::string>().find("one_sided") == std::string::npos) continue;
    InBatchOptions options;
    options.scale = 1 / test.at("tau").get<double>();
    const double loss = in_batch_loss({matrix(test.at("z1")), matrix(test.at("z2"))}, options).item<double>();
    EXPECT_NEAR(loss, test.at("expected").at("mean").get<double>(), 1e-6);
    ++found;
  }
  EXPECT_EQ(found, 2);
}

double similarity(const at::Tensor& a, const at::Tensor& b, Similarity kind) {
  const double dot = (a * b).sum().item<double>();
  return kind == Similarity::kDot ? dot : dot / std::sqrt(a.square().sum().item<double>() * b.square().sum().item<double>());
}

// The mean over rows of -log(e^positive / sum of w e^candidate), by the definition.
double reference(const InBatchVectors& v, const InBatchOptions& o) {
  const int64_t n = v.anchors.size(0), m = v.negatives.defined() ? v.negatives.size(0) : 0;
  const auto id = [](const at::Tensor& ids, int64_t i) { return ids[i].item<int64_t>(); };
  double forward = 0, backward = 0;
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0, other_way = 0;
    for (int64_t k = 0; k < n + m; ++k) {
      const int64_t text = k < n ? id(v.positive_ids, k) : id(v.negative_ids, k - n);
      const bool repeated = k != i && (text == id(v.anchor_ids, i) || text == id(v.positive_ids, i));
      if (o.false_negatives == FalseNegatives::kMask && repeated) continue;
      const double weight = k >= n && id(v.owners, k - n) == i ? o.hard_negative_weight : 1;
      sum += weight * std::exp(o.scale * similarity(v.anchors[i], k < n ? v.positives[k] : v.negatives[k - n], o.similarity));
    }
    for (int64_t k = 0; k < n; ++k) {
      const int64_t text = id(v.anchor_ids, k);
      const bool repeated = k != i && (text == id(v.anchor_ids, i) || text == id(v.positive_ids, i));
      if (o.false_negatives == FalseNegatives::kMask && repeated) continue;
      other_way += std::exp(o.scale * similarity(v.positives[i], v.anchors[k], o.similarity));
    }
    const double own = o.scale * similarity(v.anchors[i], v.positives[i], o.similarity);
    forward += std::log(sum) - own;
    backward += std::log(other_way) - own;
  }
  return (o.symmetric ? (forward + backward) / 2 : forward) / static_cast<double>(n);
}

std::vector<InBatchOptions> all_options() {
  std::vector<InBatchOptions> all;
  for (const Similarity kind : {Similarity::kCosine, Similarity::kDot}) {
    for (const bool symmetric : {false, true}) {
      for (const double weight : {1.0, 2.5}) {
        for (const FalseNegatives rule : {FalseNegatives::kKeep, FalseNegatives::kMask}) all.push_back({1.7, kind, symmetric, weight, rule});
      }
    }
  }
  return all;
}

TEST(InBatch, EqualsALoopOverTheDefinition) {
  InBatchVectors v = sample();
  for (const InBatchOptions& options : all_options()) EXPECT_NEAR(in_batch_loss(v, options).item<double>(), reference(v, options), 1e-11);
  v.negatives = v.owners = v.negative_ids = at::Tensor();
  for (const InBatchOptions& options : all_options()) EXPECT_NEAR(in_batch_loss(v, options).item<double>(), reference(v, options), 1e-11);
}

TEST(InBatch, GradientEqualsFiniteDifferences) {
  for (const InBatchOptions& options : all_options()) {
    InBatchVectors v = sample();
    expect_gradient_by_differences(
        [&](const std::vector<at::Tensor>& x) {
          v.anchors = x[0], v.positives = x[1], v.negatives = x[2];
          return in_batch_loss(v, options);
        },
        {v.anchors.clone(), v.positives.clone(), v.negatives.clone()});
  }
}

TEST(InBatch, OnePairGivesExactlyZeroAndNoGradient) {
  const at::Tensor a = random_tensor({1, 384}, 1).to(at::kFloat).requires_grad_(true);
  const at::Tensor b = random_tensor({1, 384}, 2).to(at::kFloat).requires_grad_(true);
  for (const bool symmetric : {false, true}) {
    const at::Tensor loss = in_batch_loss({a, b}, {20, Similarity::kCosine, symmetric});
    EXPECT_EQ(loss.item<double>(), 0.0);
    loss.backward();
    EXPECT_EQ(a.grad().abs().max().item<double>(), 0.0);
    EXPECT_EQ(b.grad().abs().max().item<double>(), 0.0);
  }
  // A hard negative is something to learn from even then.
  EXPECT_GT(in_batch_loss({a, b, random_tensor({1, 384}, 3).to(at::kFloat), numbers({0})}, {}).item<double>(), 0);
}

TEST(InBatch, IdenticalTextsGiveTheLogarithmOfTheirNumberAndMaskedNothing) {
  const at::Tensor x = at::full({8, 4}, 0.7, at::kDouble), ids = at::full({8}, 3, at::kLong);
  InBatchVectors v{x, x};
  v.anchor_ids = v.positive_ids = ids;
  EXPECT_NEAR(in_batch_loss(v, {}).item<double>(), std::log(8.0), 1e-12);
  InBatchOptions mask;
  mask.false_negatives = FalseNegatives::kMask;
  EXPECT_EQ(in_batch_loss(v, mask).item<double>(), 0.0);
}

TEST(InBatch, ZeroVectorsHaveCosineZeroAndNoGradient) {
  InBatchVectors v = sample();
  v.anchors[1].zero_();
  v.negatives[4].zero_();
  v.anchors.requires_grad_(true);
  v.negatives.requires_grad_(true);
  in_batch_loss(v, {}).backward();
  EXPECT_EQ(v.anchors.grad()[1].abs().max().item<double>(), 0.0);
  EXPECT_EQ(v.negatives.grad()[4].abs().max().item<double>(), 0.0);
  EXPECT_TRUE(v.anchors.grad().isfinite().all().item<bool>());
}

TEST(InBatch, RefusesWhatDoesNotFit) {
  const InBatchVectors v = sample();
  InBatchVectors bad = v;
  bad.positives = random_tensor({3, 5}, 1);
  EXPECT_THROW(in_batch_loss(bad, {}), Error);
  bad = v;
  bad.owners = numbers({0});
  EXPECT_THROW(in_batch_loss(bad, {}), Error);
  bad = v;
  bad.negative_ids = at::Tensor();
  EXPECT_NO_THROW(in_batch_loss(bad, {}));
  EXPECT_THROW(in_batch_loss(bad, {20, Similarity::kCosine, false, 1, FalseNegatives::kMask}), Error);
}

}  // namespace
}  // namespace contrastive::objectives
