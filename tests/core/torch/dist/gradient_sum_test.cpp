#include "core/torch/dist/gradient_sum.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>

#include "tests/core/torch/dist/ranks.h"

namespace contrastive::dist {
namespace {

struct Sums {
  std::vector<at::Tensor> gradients;
};

// Four parameters: with a gradient on all ranks, with an initial gradient on rank 0 only, with a
// gradient on the last rank only, and with none.
Sums sum_on(World& world, int64_t bucket, int updates) {
  std::vector<at::Tensor> parameters;
  for (const int64_t n : {5, 3, 7, 2}) parameters.push_back(at::ones({n}).requires_grad_(true));
  GradientSum sum(world, parameters, bucket);
  Sums result;
  for (int update = 0; update < updates; ++update) {
    for (const at::Tensor& parameter : parameters) parameter.mutable_grad().reset();
    if (world.first()) parameters[1].mutable_grad() = at::ones({3}) * 4;
    at::Tensor loss = (parameters[0] * at::arange(5, at::kFloat) * (world.rank() + 1) / 3).sum();
    if (world.rank() + 1 == world.size()) loss = loss + (parameters[2] * 0.5).sum();
    sum.begin("to test");
    loss.backward();
    sum.finish("to test");
    result.gradients.clear();
    for (const at::Tensor& parameter : parameters)
      result.gradients.push_back(parameter.grad().defined() ? parameter.grad().clone()
                                                            : at::Tensor());
  }
  return result;
}

TEST(GradientSum, IsThatOfAllRanksOnEach) {
  for (const int size : {1, 2, 3, 4}) {
    for (const int64_t bucket : {1, 6, 1000}) {
      std::vector<Sums> sums(static_cast<size_t>(size));
      expect_no_errors(run_ranks(size, [&](World& world) {
        sums[static_cast<size_t>(world.rank())] = sum_on(world, bucket, 3);
      }));
      const double weight = size * (size + 1) / 2 / 3.0;
      for (const Sums& each : sums) {
        EXPECT_LT(
            (each.gradients[0] - at::arange(5, at::kFloat) * weight).abs().max().item<double>(),
            1e-5);
        EXPECT_TRUE(each.gradients[1].equal(at::ones({3}) * 4));
        EXPECT_TRUE(each.gradients[2].equal(at::ones({7}) * 0.5));
        EXPECT_FALSE(each.gradients[3].defined()) << "a gradient that no rank has stays undefined";
        EXPECT_TRUE(each.gradients[0].equal(sums[0].gradients[0])) << "bit for bit on every rank";
      }
    }
  }
}

TEST(GradientSum, BucketsChangeNoBit) {
  std::vector<at::Tensor> first;
  for (const int64_t bucket : {1, 6, 1000}) {
    for (const int updates : {1, 3}) {  // before and after the buckets are arranged again
      std::vector<Sums> sums(3);
      expect_no_errors(run_ranks(3, [&](World& world) {
        sums[static_cast<size_t>(world.rank())] = sum_on(world, bucket, updates);
      }));
      if (first.empty()) first = sums[0].gradients;
      EXPECT_TRUE(first[0].equal(sums[0].gradients[0]));
    }
  }
}

// Sums in float32 depend on their order, which is that of the ranks.
TEST(GradientSum, AddsInTheOrderOfTheRanks) {
  const std::vector<float> values = {1e8F, 1, -1e8F, 0.5F};
  expect_no_errors(run_ranks(4, [&](World& world) {
    const at::Tensor parameter = at::ones({9}).requires_grad_(true);
    GradientSum sum(world, {parameter});
    parameter.mutable_grad() = at::ones({9}) * values[static_cast<size_t>(world.rank())];
    sum.finish("to test");
    EXPECT_TRUE(parameter.grad().equal(at::ones({9}) *
                                       (((values[0] + values[1]) + values[2]) + values[3])));
  }));
}

}  // namespace
}  // namespace contrastive::dist
