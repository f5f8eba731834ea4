#include "core/torch/run/held_graph.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <memory>

namespace contrastive::run {
namespace {

TEST(HeldGraph, KeepsTheGraphUntilItGoesAndThenTakesItApart) {
  at::Tensor x = at::ones({2});
  x.set_requires_grad(true);
  auto held = std::make_unique<HeldGraph>();
  at::Tensor middle = x * 2, loss = (middle * middle).sum();
  held->hold(loss);
  loss.backward({}, /*keep_graph=*/true);
  EXPECT_EQ(x.grad()[0].item<double>(), 8);
  held.reset();
  x.mutable_grad().zero_();
  loss.backward({});
  EXPECT_EQ(x.grad()[0].item<double>(), 0) << "no edge of the graph is left";
}

TEST(HeldGraph, ALossWithoutAGraphIsAccepted) {
  HeldGraph held;
  EXPECT_NO_THROW(held.hold(at::ones({})));
}

}  // namespace
}  // namespace contrastive::run
