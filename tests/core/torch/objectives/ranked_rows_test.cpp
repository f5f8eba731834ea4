// Losses in blocks of rows against the same losses over the whole matrix of similarities.
#include "core/torch/objectives/ranked_rows.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/log_softmax.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "core/torch/objectives/in_batch.h"
#include "core/torch/objectives/unit_rows.h"
#include "tests/core/torch/objectives/finite_differences.h"

namespace contrastive::objectives {
namespace {

constexpr int64_t kPairs = 2100,
                  kWidth = 6;  // 4,410,000 one-sided similarities: more than one block
constexpr double kNone = -std::numeric_limits<double>::infinity();

// float32, as in a training step.
at::Tensor vectors(int64_t n, uint64_t seed) {
  return random_tensor({n, kWidth}, seed).to(at::kFloat);
}

struct Outcome {
  double loss;
  at::Tensor a, b;  // gradients
};
Outcome run(const Loss& loss, const at::Tensor& a, const at::Tensor& b) {
  const std::vector<at::Tensor> leaves{a.clone().requires_grad_(true),
                                       b.clone().requires_grad_(true)};
  const at::Tensor value = loss(leaves);
  value.backward();
  return {value.item<double>(), leaves[0].grad(), leaves[1].grad()};
}
// `blocks` computes in float32, `whole` in float64.
void expect_equal(const Loss& blocks, const Loss& whole, const at::Tensor& a, const at::Tensor& b) {
  const Outcome here = run(blocks, a, b), there = run(whole, a.to(at::kDouble), b.to(at::kDouble));
  EXPECT_NEAR(here.loss, there.loss, 1e-6 * there.loss);
  for (const auto& [ours, theirs] : {std::pair(here.a, there.a), std::pair(here.b, there.b)}) {
    const double largest = theirs.abs().max().item<double>();
    EXPECT_GT(largest, 0);
    EXPECT_LT((ours - theirs).abs().max().item<double>(), 1e-5 * largest);
  }
}

// The texts of the last third are those of the first.
at::Tensor repeating_ids(int64_t n) { return at::arange(n, at::kLong).remainder(n * 2 / 3); }

TEST(RankedRows, AreWhatABatchAboveTheLimitIsComparedBy) {
  EXPECT_FALSE(too_many_similarities(2048, 2048));
  EXPECT_TRUE(too_many_similarities(2049, 2048));
  EXPECT_TRUE(too_many_similarities(kPairs, kPairs));
}

TEST(RankedRows, NtXentOfALargeBatchEqualsTheWholeMatrix) {
  const at::Tensor a = vectors(kPairs, 1), b = vectors(kPairs, 2);
  for (const Sides sides : {Sides::kBoth, Sides::kOne}) {
    for (const FalseNegatives rule : {FalseNegatives::kKeep, FalseNegatives::kMask}) {
      NtXentOptions options;
      options.sides = sides;
      options.false_negatives = rule;
      const at::Tensor ids = at::cat({repeating_ids(kPairs), repeating_ids(kPairs)});
      const auto whole = [&](const std::vector<at::Tensor>& in) {
        const bool both = sides == Sides::kBoth;
        const at::Tensor z = unit_rows(at::cat({in[0], in[1]}));
        const at::Tensor rows = both ? z : z.narrow(0, 0, kPairs),
                         columns = both ? z : z.narrow(0, kPairs, kPairs);
        const at::Tensor number = at::arange(rows.size(0), at::kLong);
        const at::Tensor positive =
            (both ? number.add(kPairs).remainder(2 * kPairs) : number).unsqueeze(1);
        at::Tensor logits = rows.matmul(columns.t()) / options.temperature;
        if (rule == FalseNegatives::kMask) {
          const at::Tensor own = ids.narrow(0, 0, rows.size(0));
          logits =
              logits.masked_fill(own.unsqueeze(1).eq(own.unsqueeze(0)).scatter(1, positive, false),
                                 kNone);
        }
        if (both) logits = logits.masked_fill(number.unsqueeze(1).eq(number.unsqueeze(0)), kNone);
        return at::log_softmax(logits, 1).gather(1, positive).mean().neg();
      };
      expect_equal(
          [&](const std::vector<at::Tensor>& in) { return nt_xent(in[0], in[1], options, ids); },
          whole, a, b);
    }
  }
}

TEST(RankedRows, InBatchInfoNceOfALargeBatchEqualsTheWholeMatrix) {
  constexpr int64_t kNegatives = 300;
  const at::Tensor a = vectors(kPairs, 3), b = vectors(kPairs, 4),
                   negatives = vectors(kNegatives, 5);
  InBatchVectors given{a, b, negatives, at::arange(kNegatives, at::kLong).mul(7)};
  given.anchor_ids = repeating_ids(kPairs);
  given.positive_ids = given.anchor_ids + kPairs;
  given.negative_ids = at::arange(kNegatives, at::kLong);  // some of them are anchors' texts
  for (const bool symmetric : {false, true}) {
    for (const FalseNegatives rule : {FalseNegatives::kKeep, FalseNegatives::kMask}) {
      const InBatchOptions options{20, Similarity::kCosine, symmetric, 2.5, rule};
      const auto whole = [&](const std::vector<at::Tensor>& in) {
        const at::Tensor number = at::arange(kPairs, at::kLong).unsqueeze(1),
                         other =
                             given.owners.unsqueeze(0).eq(number).to(at::kDouble) * std::log(2.5);
        const auto one = [&](at::Tensor logits, const at::Tensor& rows, const at::Tensor& positives,
                             const at::Tensor& columns) {
          if (rule == FalseNegatives::kMask) {
            const auto equal = [&](const at::Tensor& ids) {
              return columns.unsqueeze(0).eq(ids.unsqueeze(1));
            };
            logits = logits.masked_fill(
                equal(rows).logical_or(equal(positives)).scatter(1, number, false), kNone);
          }
          return at::log_softmax(logits, 1).gather(1, number).mean().neg();
        };
        const at::Tensor x = unit_rows(in[0]), y = unit_rows(in[1]),
                         z = unit_rows(negatives.to(at::kDouble)), near = x.matmul(y.t()) * 20;
        const at::Tensor forward =
            one(at::cat({near, x.matmul(z.t()) * 20 + other}, 1), given.anchor_ids,
                given.positive_ids, at::cat({given.positive_ids, given.negative_ids}));
        return symmetric ? (forward +
                            one(near.t(), given.positive_ids, given.anchor_ids, given.anchor_ids)) /
                               2
                         : forward;
      };
      const auto blocks = [&](const std::vector<at::Tensor>& in) {
        InBatchVectors v = given;
        v.anchors = in[0], v.positives = in[1];
        return in_batch_loss(v, options);
      };
      expect_equal(blocks, whole, a, b);
    }
  }
}

TEST(RankedRows, TheGradientOfAFewRowsIsThatOfDifferences) {
  const at::Tensor positives = at::arange(4, at::kLong).add(1);
  const auto without_first = [](const at::Tensor& logits, int64_t) {
    logits.narrow(1, 0, 1).fill_(kNone);
  };
  expect_gradient_by_differences(
      [&](const std::vector<at::Tensor>& in) {
        return ranked_rows_loss({in[0], in[1], positives, 3, 0.5, without_first});
      },
      {random_tensor({4, 5}, 6), random_tensor({7, 5}, 7)});
}

TEST(RankedRows, RowsMayBeTheColumns) {
  const at::Tensor x = random_tensor({6, 3}, 8);
  const at::Tensor positives = at::arange(6, at::kLong).add(1).remainder(6);
  expect_gradient_by_differences(
      [&](const std::vector<at::Tensor>& in) {
        return ranked_rows_loss({in[0], in[0], positives, 2, 1, {}});
      },
      {x});
}

}  // namespace
}  // namespace contrastive::objectives
