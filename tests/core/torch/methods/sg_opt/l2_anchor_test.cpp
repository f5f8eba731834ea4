#include "core/torch/methods/sg_opt/l2_anchor.h"

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/torch/objectives/finite_differences.h"
#include "tests/expect_error.h"

namespace contrastive::methods {
namespace {

using objectives::expect_gradient_by_differences;
using objectives::random_tensor;

TEST(L2Anchor, IsTheSumOfSquaresWithTwiceTheDifferenceAsGradient) {
  const at::Tensor start = random_tensor({7, 3}, 1), more = random_tensor({5}, 2);
  expect_gradient_by_differences([&](const auto& x) { return l2_anchor(x, {start, more}); },
                                 {random_tensor({7, 3}, 3), random_tensor({5}, 4)});
  const at::Tensor weight = (start + 0.5).requires_grad_(true);
  const at::Tensor loss = l2_anchor({weight}, {start});
  EXPECT_NEAR(loss.item<double>(), 21 * 0.25, 1e-12);
  (loss * 3).backward();
  EXPECT_TRUE(weight.grad().allclose((weight.detach() - start) * 6));
}

TEST(L2Anchor, AtTheStartValueAndGradientAreZero) {
  const at::Tensor weight = random_tensor({4, 4}, 1).to(at::kFloat).requires_grad_(true);
  const at::Tensor loss = l2_anchor({weight}, {weight.detach().clone()});
  EXPECT_EQ(loss.item<double>(), 0.0);
  loss.backward();
  EXPECT_EQ(weight.grad().abs().max().item<double>(), 0.0);
}

TEST(L2Anchor, LargeSumsOfFloatsKeepTheirDigits) {
  const at::Tensor start = random_tensor({1000, 333}, 1).to(at::kFloat),
                   weight = start + random_tensor({1000, 333}, 2).to(at::kFloat) * 1e-3;
  const double exact =
      (weight.to(at::kDouble) - start.to(at::kDouble)).square().sum().item<double>();
  EXPECT_NEAR(l2_anchor({weight}, {start}).item<double>() / exact, 1, 1e-6);
  EXPECT_NEAR(l2_anchor({weight.t()}, {start.t()}).item<double>() / exact, 1,
              1e-6);  // not contiguous
}

TEST(L2Anchor, WeightsWithoutGradientNeedNoGraph) {
  EXPECT_FALSE(l2_anchor({random_tensor({3}, 1)}, {random_tensor({3}, 2)}).requires_grad());
  const at::Tensor frozen = random_tensor({3}, 1),
                   tuned = random_tensor({3}, 2).requires_grad_(true);
  l2_anchor({frozen, tuned}, {random_tensor({3}, 3), random_tensor({3}, 4)}).backward();
  EXPECT_FALSE(frozen.grad().defined());
  EXPECT_TRUE(tuned.grad().defined());
}

TEST(L2Anchor, RefusesWhatDoesNotFit) {
  expect_error(Status::kMismatch, "each of the 0 weights needs its start, not 0",
               [&] { l2_anchor({}, {}); });
  expect_error(Status::kMismatch, "weight 0 is [3] and its start [4]",
               [&] { l2_anchor({random_tensor({3}, 1)}, {random_tensor({4}, 1)}); });
  expect_error(Status::kMismatch, "weight 0 is [3] and its start [3]",
               [&] { l2_anchor({random_tensor({3}, 1)}, {random_tensor({3}, 1).to(at::kFloat)}); });
}

}  // namespace
}  // namespace contrastive::methods
