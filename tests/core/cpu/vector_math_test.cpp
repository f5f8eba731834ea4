// The activations of every kernel build against the C library in double precision, and with
// LayerNorm against published values.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/cpu/builds.h"
#include "tests/fixtures_folder.h"

namespace contrastive::cpu {
namespace {

void expect_close(Activation activation, const std::function<double(double)>& exact) {
  std::vector<float> inputs;
  for (int i = -16000; i <= 16000; ++i) inputs.push_back(static_cast<float>(i) * 1e-3f);
  for (const float extreme : {-1e30f, -200.0f, -90.0f, 90.0f, 200.0f, 1e30f, -1e-30f, 1e-40f})
    inputs.push_back(extreme);
  while (inputs.size() % 16 != 0) inputs.push_back(0);
  for (const EncodeKernels* table : builds(&Kernels::encode)) {
    std::vector<float> values = inputs;
    table->activate(activation, values.data(), static_cast<int64_t>(values.size()) / table->lanes);
    for (size_t i = 0; i < values.size(); ++i) {
      const double expected = exact(inputs[i]);
      ASSERT_NEAR(values[i], expected, 1e-6 * std::max(1.0, std::abs(expected)))
          << table->name << " at " << inputs[i];
    }
  }
}

TEST(VectorMath, GeluErf) {
  expect_close(Activation::kGeluErf,
               [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); });
}
TEST(VectorMath, GeluTanh) {
  expect_close(Activation::kGeluTanh, [](double x) {
    return 0.5 * x *
           (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
  });
}
TEST(VectorMath, Relu) {
  expect_close(Activation::kRelu, [](double x) { return std::max(x, 0.0); });
}
TEST(VectorMath, Silu) {
  expect_close(Activation::kSilu, [](double x) { return x / (1 + std::exp(-x)); });
}

const Json& published() {
  static const Json values = read_json_file(fixtures() + "/vectors.json").at("elementwise");
  return values;
}

TEST(VectorMath, ActivationsHaveThePublishedValues) {
  const std::pair<const char*, Activation> cases[] = {{"gelu_erf", Activation::kGeluErf},
                                                      {"gelu_tanh", Activation::kGeluTanh}};
  for (const auto& [name, activation] : cases) {
    const auto x = published().at(name).at("x").get<std::vector<float>>();
    const auto y = published().at(name).at("y").get<std::vector<double>>();
    for (const EncodeKernels* table : builds(&Kernels::encode)) {
      std::vector<float> values(
          static_cast<size_t>(table->panels(static_cast<int64_t>(x.size())) * table->lanes));
      std::copy(x.begin(), x.end(), values.begin());
      table->activate(activation, values.data(),
                      static_cast<int64_t>(values.size()) / table->lanes);
      for (size_t i = 0; i < x.size(); ++i)
        EXPECT_NEAR(values[i], y[i], 1e-6) << table->name << ", " << name << " of " << x[i];
    }
  }
}

TEST(VectorMath, LayerNormHasThePublishedValues) {
  for (const Json& test : published().at("layernorm")) {
    const auto x = test.at("x").get<std::vector<float>>();
    const auto y = test.at("y").get<std::vector<double>>();
    const auto width = static_cast<int64_t>(x.size());
    const std::vector<float> gain(x.size(), 1.0f), shift(x.size(), 0.0f);
    for (const EncodeKernels* table : builds(&Kernels::encode)) {
      std::vector<float> panel;  // every lane the same token
      for (const float value : x)
        panel.insert(panel.end(), static_cast<size_t>(table->lanes), value);
      table->layer_norm(
          {panel.data(), gain.data(), shift.data(), test.at("eps").get<double>(), 1, width});
      for (size_t i = 0; i < panel.size(); ++i) {
        EXPECT_NEAR(panel[i], y[i / static_cast<size_t>(table->lanes)], 1e-6)
            << table->name << ", eps " << test.at("eps");
      }
    }
  }
}

}  // namespace
}  // namespace contrastive::cpu
