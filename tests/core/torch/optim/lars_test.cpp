#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>

#include "core/torch/optim/optimizer_list.h"
#include "tests/core/torch/optim/one_parameter.h"
#include "tests/core/torch/optim/vectors.h"

namespace contrastive::optim {
namespace {

TEST(Lars, EqualsTheTestVectors) {
  const Json vectors = test_vectors("optim").at("lars");
  OptimizerOptions options;
  options.name = "lars";
  options.weight_decay = vectors.at("weight_decay").get<double>();
  options.keys.set_json("momentum", vectors.at("momentum"));
  options.keys.set_json("trust", vectors.at("trust"));
  const Parameter p = parameter(vector_of(vectors.at("p0")));
  const auto optimizer = make_optimizer(options, {p});
  for (size_t step = 0; step < vectors.at("grads").size(); ++step) {
    p.tensor.mutable_grad() = vector_of(vectors.at("grads")[step]);
    optimizer->step(vectors.at("lr").get<double>());
    const at::Tensor expected = vector_of(vectors.at("p_after_each_step")[step]);
    EXPECT_TRUE(p.tensor.detach().allclose(expected, 1e-6, 1e-6)) << "step " << step;
  }
}

TEST(Lars, LeavesBiasesToPlainMomentum) {
  OptimizerOptions options;
  options.name = "lars";
  options.weight_decay = 0.1;
  const Parameter p = parameter(at::ones({2}), false);
  const auto optimizer = make_optimizer(options, {p});
  p.tensor.mutable_grad() = at::ones({2});
  optimizer->step(0.5);
  EXPECT_FLOAT_EQ(p.tensor.detach()[0].item<float>(), 0.5f);
}

TEST(Lars, MovesALayerThatStartsAtZero) {
  OptimizerOptions options;
  options.name = "lars";
  const Parameter p = parameter(at::ones({2}) * 0);
  const auto optimizer = make_optimizer(options, {p});
  p.tensor.mutable_grad() = at::ones({2});
  optimizer->step(0.5);
  EXPECT_FLOAT_EQ(p.tensor.detach()[0].item<float>(), -0.5f);
}

TEST(Lars, TakesTheNormsOfAllStretches) {
  OptimizerOptions options;
  options.name = "lars";
  options.weight_decay = 0.01;
  const double trust = 0.002;
  options.keys.set_json("trust", trust);
  const at::Tensor start = (at::arange(300 * 500, at::kDouble) * 0.7).sin().view({300, 500}),
                   slope = (at::arange(300 * 500, at::kDouble) * 0.3).cos().view({300, 500});
  const Parameter p = parameter(start.to(at::kFloat));
  p.tensor.mutable_grad() = slope.to(at::kFloat);
  make_optimizer(options, {p})->step(0.1);
  const at::Tensor g = slope + start * options.weight_decay;
  const at::Tensor expected = start - g * (0.1 * trust * start.norm() / g.norm());
  EXPECT_TRUE(p.tensor.detach().to(at::kDouble).allclose(expected, 1e-6, 1e-7));
}

}  // namespace
}  // namespace contrastive::optim
