#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include "core/torch/optim/optimizer_list.h"
#include "tests/core/torch/optim/one_parameter.h"
#include "tests/core/torch/optim/vectors.h"

namespace contrastive::optim {
namespace {

// The first element after each step.
std::vector<double> run(const OptimizerOptions& options, const Json& vectors) {
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

void expect_values(const OptimizerOptions& options, const char* name) {
  const Json vectors = test_vectors("optim");
  const auto expected = vectors.at(name).get<std::vector<double>>();
  const auto values = run(options, vectors);
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(values[i], expected[i], 1e-6) << name << " step " << i;
}

TEST(Adam, EqualsTheTestVectors) {
  OptimizerOptions options;
  options.weight_decay = 0.01;
  options.keys.set_json("eps", 1e-6);
  options.name = "adamw";
  expect_values(options, "adamw_torch_betas_0.9_0.999");
  options.name = "adamw-hf";
  options.keys.set_json("correct_bias", false);
  expect_values(options, "adamw_hf_no_bias_correction_betas_0.9_0.999");
  options.keys.set_json("correct_bias", true);
  options.keys.set_json("betas", {0.9, 0.9});
  expect_values(options, "adamw_hf_correct_bias_betas_0.9_0.9");
}

// A table of which few rows get a gradient, updated directly and in double by LibTorch's kernels.
TEST(Adam, RowsWithoutGradientsOnlyDecay) {
  for (const char* name : {"adam", "adamw", "adamw-hf"}) {
    OptimizerOptions options;
    options.name = name;
    options.weight_decay = 0.1;
    const at::Tensor start = at::arange(400 * 50, at::kDouble).sin().reshape({400, 50});
    const Parameter table = parameter(start.to(at::kFloat)), exact = parameter(start);
    const auto ours = make_optimizer(options, {table}),
               reference = make_optimizer(options, {exact});
    for (int64_t step = 0; step < 5; ++step) {
      at::Tensor gradient = at::zeros({400, 50}, at::kDouble);
      for (const int64_t row : {step, 7 * step, int64_t{399}})
        gradient[row].add_(0.1 * static_cast<double>(row + 1 - 3 * step));
      exact.tensor.mutable_grad() = gradient * 0.5;
      table.tensor.mutable_grad() = gradient.to(at::kFloat);
      ours->step(0.01, 0.5);
      reference->step(0.01);
      EXPECT_LT((table.tensor.detach() - exact.tensor.detach()).abs().max().item<double>(), 1e-6)
          << name << " step " << step;
    }
  }
}

}  // namespace
}  // namespace contrastive::optim
