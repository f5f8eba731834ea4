// Compares a loss's gradient with central differences in double, at random matrices.
#pragma once

#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "core/base/rng.h"

namespace contrastive::objectives {

inline at::Tensor random_tensor(std::vector<int64_t> shape, uint64_t seed) {
  Rng rng(seed, Purpose::kInitialise);
  at::Tensor tensor = at::zeros(shape, at::kDouble);
  for (int64_t i = 0; i < tensor.numel(); ++i) tensor.data_ptr<double>()[i] = rng.normal();
  return tensor;
}

using Loss = std::function<at::Tensor(const std::vector<at::Tensor>&)>;

inline void expect_gradient_by_differences(const Loss& loss, std::vector<at::Tensor> inputs,
                                           double tolerance = 1e-7) {
  std::vector<at::Tensor> leaves;
  for (const at::Tensor& input : inputs) leaves.push_back(input.clone().requires_grad_(true));
  loss(leaves).backward();
  for (size_t k = 0; k < inputs.size(); ++k) {
    ASSERT_TRUE(leaves[k].grad().defined()) << "input " << k << " has no gradient";
    const at::Tensor gradient = leaves[k].grad().contiguous();
    for (int64_t i = 0; i < inputs[k].numel(); ++i) {
      double& x = inputs[k].data_ptr<double>()[i];
      const double saved = x, h = 1e-6;
      x = saved + h;
      const double above = loss(inputs).item<double>();
      x = saved - h;
      const double below = loss(inputs).item<double>();
      x = saved;
      EXPECT_NEAR(gradient.data_ptr<double>()[i], (above - below) / (2 * h), tolerance)
          << "input " << k << ", element " << i;
    }
  }
}

}  // namespace contrastive::objectives
