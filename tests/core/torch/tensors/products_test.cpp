#include "core/torch/tensors/products.h"

#include <ATen/TensorOperators.h>
#include <ATen/autocast_mode.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "core/torch/tensors/openmp.h"
#include "core/runtime/threads.h"

namespace contrastive::tensors {
namespace {

double distance(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor wide = b.to(at::kDouble);
  return (a.to(at::kDouble) - wide).abs().max().item<double>() /
         (1e-30 + wide.abs().max().item<double>());
}

at::Tensor values(int64_t rows, int64_t columns, at::ScalarType type = at::kFloat) {
  return at::rand({rows, columns}, type) - 0.5;
}

struct Threads {
  explicit Threads(int count) : before(runtime::threads()) { runtime::set_threads(count); }
  ~Threads() { runtime::set_threads(before); }
  int before;
};

TEST(Products, OfAnyShapeAndLayout) {
  settle_openmp();
  const std::vector<std::tuple<int64_t, int64_t, int64_t>> shapes = {{1, 1, 1},     {1, 700, 3},
                                                                     {700, 1, 5},   {3, 5, 0},
                                                                     {0, 4, 4},     {257, 385, 100},
                                                                     {600, 800, 33}};
  for (const auto& [m, n, k] : shapes) {
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
      const at::Tensor a = values(m, k, type), b = values(k, n, type), start = values(m, n, type);
      const at::Tensor expected = at::matmul(a.to(at::kDouble), b.to(at::kDouble));
      const at::Tensor wide = values(m, n + 7, type), turned = values(k, m, type);
      for (const bool add : {false, true}) {
        const at::Tensor sum = add ? expected + start.to(at::kDouble) : expected;
        at::Tensor out = start.clone();
        multiply(out, a, b, add);
        if (out.numel() == 0) continue;
        EXPECT_LT(distance(out, sum), 1e-5) << m << ' ' << n << ' ' << k;
        // Transposed operands, and some columns of a wider result.
        at::Tensor part = wide.narrow(1, 3, n);
        part.copy_(start);
        multiply(part, a.t().contiguous().t(), b.t().contiguous().t(), add);
        EXPECT_LT(distance(part, sum), 1e-5) << m << ' ' << n << ' ' << k;
      }
      if (m == 0 || k == 0) continue;
      EXPECT_LT(distance(product(turned.t(), b),
                         at::matmul(turned.t().to(at::kDouble), b.to(at::kDouble))),
                1e-5);
    }
  }
  const at::Tensor one = values(1, 1), expanded = one.expand({40, 300});  // strides of 0
  EXPECT_LT(distance(product(expanded, values(300, 20).fill_(1)),
                     (300 * one.to(at::kDouble)).expand({40, 20})),
            1e-5);
}

TEST(Products, TheBitsDoNotDependOnTheThreads) {
  const at::Tensor a = values(700, 300), b = values(300, 900);
  std::vector<at::Tensor> results;
  for (const int count : {1, 2, 5}) {
    const Threads threads(count);
    results.push_back(at::zeros({700, 900}));
    multiply(results.back(), a, b);
  }
  EXPECT_TRUE(results[0].equal(results[1]) && results[0].equal(results[2]));
}

TEST(Products, LinearHasTheGradientsOfLibTorch) {
  for (const auto& [rows, in, out] :
       std::vector<std::tuple<int64_t, int64_t, int64_t>>{{5, 4, 3}, {300, 400, 500}}) {
    for (const bool with_bias : {false, true}) {
      std::vector<std::vector<at::Tensor>> gradients;
      const at::Tensor x = values(rows, in), weight = values(out, in),
                       bias = values(1, out).flatten(), g = values(rows, out);
      for (const bool ours : {true, false}) {
        const at::Tensor leaves[] = {x.clone().set_requires_grad(true),
                                     weight.clone().set_requires_grad(true),
                                     bias.clone().set_requires_grad(true)};
        at::Tensor y =
            ours ? tensors::linear(leaves[0], leaves[1], with_bias ? leaves[2] : at::Tensor())
                 : at::linear(leaves[0], leaves[1],
                              with_bias ? std::optional<at::Tensor>(leaves[2]) : std::nullopt);
        (y * g).sum().backward();
        gradients.push_back({y.detach(), leaves[0].grad(), leaves[1].grad()});
        if (with_bias) gradients.back().push_back(leaves[2].grad());
      }
      for (size_t i = 0; i < gradients[0].size(); ++i)
        EXPECT_LT(distance(gradients[0][i], gradients[1][i]), 1e-5) << i;
    }
  }
}

TEST(Products, AutocastChoosesTheType) {
  const at::Tensor x = values(300, 200), weight = values(500, 200).set_requires_grad(true),
                   bias = values(1, 500).flatten();
  at::autocast::set_autocast_enabled(at::kCPU, true);
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  const at::Tensor ours = tensors::linear(x, weight, bias), theirs = at::linear(x, weight, bias);
  at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(at::kCPU, false);
  EXPECT_EQ(ours.scalar_type(), at::kBFloat16);
  EXPECT_LT(distance(ours, theirs), 1e-2);
  ours.to(at::kFloat).sum().backward();
  EXPECT_EQ(weight.grad().scalar_type(), at::kFloat);
  EXPECT_LT(distance(weight.grad(), x.sum(0).expand({500, 200})), 1e-2);
}

TEST(Products, AWeightThatWasChangedMeanwhileIsNoticed) {
  const at::Tensor x = values(4, 3).set_requires_grad(true), weight = values(2, 3);
  const at::Tensor y = tensors::linear(x, weight).sum();
  weight.add_(1);
  EXPECT_THROW(y.backward(), c10::Error);
}

}  // namespace
}  // namespace contrastive::tensors
