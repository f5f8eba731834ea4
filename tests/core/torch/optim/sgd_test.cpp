#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>

#include "core/torch/optim/optimizer_list.h"
#include "tests/core/torch/optim/one_parameter.h"

namespace contrastive::optim {
namespace {

TEST(Sgd, KeepsMomentum) {
  OptimizerOptions options;
  options.name = "sgd";
  options.weight_decay = 0.5;
  const Parameter p = parameter(at::ones({1}));
  const auto optimizer = make_optimizer(options, {p});
  p.tensor.mutable_grad() = at::ones({1});
  optimizer->step(0.1);  // velocity 1 + 0.5, p 0.85
  optimizer->step(0.1);  // velocity 1.35 + 1 + 0.425, p 0.5725
  EXPECT_NEAR(p.tensor.detach()[0].item<double>(), 0.5725, 1e-6);
}

}  // namespace
}  // namespace contrastive::optim
