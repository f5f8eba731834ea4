// Activations on the thread pool against LibTorch's own, forward and backward.
#include "core/torch/nn/torch_activation.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/silu.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/runtime/threads.h"

namespace contrastive::nn {
namespace {

constexpr Activation kAll[] = {Activation::kGeluErf, Activation::kGeluTanh, Activation::kRelu,
                               Activation::kSilu};

at::Tensor of_libtorch(Activation activation, const at::Tensor& x) {
  if (activation == Activation::kRelu) return at::relu(x);
  if (activation == Activation::kSilu) return at::silu(x);
  return at::gelu(x, activation == Activation::kGeluTanh ? "tanh" : "none");
}

struct Activated {
  at::Tensor y, gradient;
};

template <class Function>
Activated run(const Function& function, const at::Tensor& x, const at::Tensor& grad) {
  const at::Tensor leaf = x.detach().clone().set_requires_grad(true);
  const at::Tensor y = function(leaf);
  y.backward(grad);
  return {y.detach(), leaf.grad()};
}

TEST(Activation, WhatNoKernelHasIsTransformersFunction) {
  const at::Tensor x = at::rand({3, 5}) * 8 - 4;
  EXPECT_TRUE(activate(Activation::kTanh, x).allclose(x.tanh()));
  EXPECT_TRUE(activate(Activation::kSigmoid, x).allclose(x.sigmoid()));
  EXPECT_TRUE(activate(Activation::kMish, x).allclose(x * (1 + x.exp()).log().tanh(), 1e-5, 1e-6));
  EXPECT_TRUE(activate(Activation::kQuickGelu, x).allclose(x * (1.702 * x).sigmoid()));
}

TEST(Activation, ValuesAndGradientsAreLibTorchs) {
  for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kBFloat16, at::kHalf}) {
    const double tolerance = type == at::kDouble ? 1e-12 : type == at::kFloat ? 2e-6 : 4e-2;
    for (const auto& [rows, columns] :
         std::vector<std::pair<int64_t, int64_t>>{{3, 5}, {0, 4}, {300, 517}}) {
      const at::Tensor x = ((at::rand({rows, columns}) - 0.5) * 8).to(type),
                       grad = (at::rand({rows, columns}) - 0.5).to(type);
      for (const Activation activation : kAll) {
        const Activated ours =
            run([&](const at::Tensor& in) { return activate(activation, in); }, x, grad);
        const Activated theirs =
            run([&](const at::Tensor& in) { return of_libtorch(activation, in); }, x, grad);
        EXPECT_EQ(ours.y.scalar_type(), type);
        EXPECT_TRUE(ours.y.allclose(theirs.y, tolerance, tolerance))
            << static_cast<int>(activation) << ' ' << type << ' ' << rows;
        EXPECT_TRUE(ours.gradient.allclose(theirs.gradient, tolerance, tolerance))
            << static_cast<int>(activation) << ' ' << type << ' ' << rows;
      }
    }
  }
}

TEST(Activation, RowsMayLieApart) {
  const at::Tensor wide = at::rand({200, 900}) - 0.5, part = wide.narrow(1, 7, 500),
                   turned = wide.t();
  for (const at::Tensor& x : {part, turned}) {
    const Activated ours = run(
        [&](const at::Tensor& in) { return activate(Activation::kGeluErf, in.expand(x.sizes())); },
        x, x);
    EXPECT_TRUE(ours.y.allclose(at::gelu(x), 1e-6, 1e-6));
    EXPECT_TRUE(activate(Activation::kRelu, x).equal(at::relu(x)));
  }
}

TEST(Activation, TheBitsDoNotDependOnTheThreads) {
  const int before = runtime::threads();
  const at::Tensor x = at::rand({700, 501}) * 6 - 3;
  for (const Activation activation : kAll) {
    std::vector<Activated> results;
    for (const int threads : {1, 2, 5}) {
      runtime::set_threads(threads);
      results.push_back(run([&](const at::Tensor& in) { return activate(activation, in); }, x, x));
    }
    for (const Activated& other : results)
      EXPECT_TRUE(other.y.equal(results[0].y) && other.gradient.equal(results[0].gradient));
  }
  runtime::set_threads(before);
}

TEST(Activation, WhatIsNoNumberStaysSo) {
  at::Tensor x = at::rand({1, 40});
  x[0][3] = std::nan("");
  for (const Activation activation : kAll) {
    const Activated result =
        run([&](const at::Tensor& in) { return activate(activation, in); }, x, at::rand({1, 40}));
    EXPECT_TRUE(std::isnan(result.y[0][3].item<double>())) << static_cast<int>(activation);
    EXPECT_EQ(result.y.isnan().sum().item<int64_t>(), 1);
  }
}

TEST(Activation, AnInputThatWasChangedMeanwhileIsNoticed) {
  const at::Tensor leaf = at::rand({4, 3}).set_requires_grad(true), x = leaf * 2;
  const at::Tensor y = activate(Activation::kGeluErf, x).sum();
  x.add_(1);
  EXPECT_THROW(y.backward(), c10::Error);
}

}  // namespace
}  // namespace contrastive::nn
