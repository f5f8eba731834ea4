// Parameters, and the values that an optimizer gives them step by step.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/torch/optim/optimizer.h"
#include "tests/core/torch/optim/vectors.h"

namespace contrastive::optim {

inline Parameter parameter(const at::Tensor& value, bool decay = true) {
  at::Tensor tensor = value.clone();
  tensor.set_requires_grad(true);
  return {"p", tensor, decay};
}

// The first element after each step.
inline std::vector<double> run(const OptimizerOptions& options, const Json& vectors) {
  const Parameter p = parameter(at::ones({1}) * vectors.at("p0").get<double>());
  const auto optimizer = make_optimizer(options, {p});
  std::vector<double> values;
  for (const Json& gradient : vectors.at("grads")) {
    p.tensor.mutable_grad() = at::ones({1}) * gradient.get<double>();
    optimizer->step(vectors.at("lr").get<double>());
    values.push_back(p.tensor.detach()[0].item<double>());
  }
  return values;
}

inline void expect_values(const OptimizerOptions& options, const char* name) {
  const Json vectors = test_vectors("optim");
  const auto expected = vectors.at(name).get<std::vector<double>>();
  const auto values = run(options, vectors);
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(values[i], expected[i], 1e-6) << name << " step " << i;
}

}  // namespace contrastive::optim
