#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include "core/torch/optim/optimizer.h"
#include "tests/core/torch/optim/optimizer_tests.h"
#include "tests/core/torch/optim/vectors.h"

namespace contrastive::optim {
namespace {

TEST(Optimizer, AdamsEqualTheTestVectors) {
  OptimizerOptions options;
  options.weight_decay = 0.01;
  options.eps = 1e-6;
  options.kind = OptimizerKind::kAdamW;
  expect_values(options, "adamw_torch_betas_0.9_0.999");
  options.kind = OptimizerKind::kAdamWHf;
  options.correct_bias = false;
  expect_values(options, "adamw_hf_no_bias_correction_betas_0.9_0.999");
  options.correct_bias = true;
  options.beta2 = 0.9;
  expect_values(options, "adamw_hf_correct_bias_betas_0.9_0.9");
}

// A table of which few rows ever get a gradient, stepped as it is and in double by LibTorch's
// kernels.
TEST(Optimizer, RowsWithoutGradientsOnlyDecay) {
  for (const OptimizerKind kind :
       {OptimizerKind::kAdam, OptimizerKind::kAdamW, OptimizerKind::kAdamWHf}) {
    OptimizerOptions options;
    options.kind = kind;
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
          << static_cast<int>(kind) << " step " << step;
    }
  }
}

}  // namespace
}  // namespace contrastive::optim
