// The activations of every kernel build against the C library in double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "core/nn/kernels/kernel_table.h"

namespace contrastive::nn::kernels {
namespace {

void expect_close(Activation activation, const std::function<double(double)>& exact) {
  std::vector<float> inputs;
  for (int i = -16000; i <= 16000; ++i) inputs.push_back(static_cast<float>(i) * 1e-3f);
  for (const float extreme : {-1e30f, -200.0f, -90.0f, 90.0f, 200.0f, 1e30f, -1e-30f, 1e-40f}) inputs.push_back(extreme);
  while (inputs.size() % 16 != 0) inputs.push_back(0);
  for (const KernelTable* table : usable_kernels()) {
    std::vector<float> values = inputs;
    table->activate(activation, values.data(), static_cast<int64_t>(values.size()) / table->lanes);
    for (size_t i = 0; i < values.size(); ++i) {
      const double expected = exact(inputs[i]);
      ASSERT_NEAR(values[i], expected, 1e-6 * std::max(1.0, std::abs(expected))) << table->name << " at " << inputs[i];
    }
  }
}

TEST(VectorMath, GeluErf) {
  expect_close(Activation::kGeluErf, [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); });
}
TEST(VectorMath, GeluTanh) {
  expect_close(Activation::kGeluTanh, [](double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); });
}
TEST(VectorMath, Relu) {
  expect_close(Activation::kRelu, [](double x) { return std::max(x, 0.0); });
}
TEST(VectorMath, Silu) {
  expect_close(Activation::kSilu, [](double x) { return x / (1 + std::exp(-x)); });
}

}  // namespace
}  // namespace contrastive::nn::kernels
