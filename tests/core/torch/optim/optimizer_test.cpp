#include "core/torch/optim/optimizer.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/runtime/threads.h"
#include "tests/core/base/expect_error.h"
#include "tests/core/torch/optim/vectors.h"
#include "tests/fixtures_folder.h"

namespace contrastive::optim {
namespace {

using test::expect_error;

Parameter parameter(const at::Tensor& value, bool decay = true) {
  at::Tensor tensor = value.clone();
  tensor.set_requires_grad(true);
  return {"p", tensor, decay};
}

constexpr OptimizerKind kAllKinds[] = {OptimizerKind::kLars,    OptimizerKind::kSgd,
                                       OptimizerKind::kAdam,    OptimizerKind::kAdamW,
                                       OptimizerKind::kAdamWHf, OptimizerKind::kRmsProp};

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

TEST(Optimizer, AnUnknownKindIsNotTakenForAdam) {
  OptimizerOptions options;
  options.kind = static_cast<OptimizerKind>(99);
  EXPECT_THROW(make_optimizer(options, {parameter(at::ones({1}))}), c10::Error);
}

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

TEST(Optimizer, LarsEqualsTheTestVectors) {
  const Json vectors = test_vectors("optim").at("lars");
  OptimizerOptions options;
  options.kind = OptimizerKind::kLars;
  options.weight_decay = vectors.at("weight_decay").get<double>();
  options.momentum = vectors.at("momentum").get<double>();
  options.trust = vectors.at("trust").get<double>();
  const Parameter p = parameter(vector_of(vectors.at("p0")));
  const auto optimizer = make_optimizer(options, {p});
  for (size_t step = 0; step < vectors.at("grads").size(); ++step) {
    p.tensor.mutable_grad() = vector_of(vectors.at("grads")[step]);
    optimizer->step(vectors.at("lr").get<double>());
    const at::Tensor expected = vector_of(vectors.at("p_after_each_step")[step]);
    EXPECT_TRUE(p.tensor.detach().allclose(expected, 1e-6, 1e-6)) << "step " << step;
  }
}

TEST(Optimizer, LarsLeavesBiasesToPlainMomentum) {
  OptimizerOptions options;
  options.kind = OptimizerKind::kLars;
  options.weight_decay = 0.1;
  const Parameter p = parameter(at::ones({2}), false);
  const auto optimizer = make_optimizer(options, {p});
  p.tensor.mutable_grad() = at::ones({2});
  optimizer->step(0.5);
  EXPECT_FLOAT_EQ(p.tensor.detach()[0].item<float>(), 0.5f);
}

TEST(Optimizer, LarsMovesALayerThatStartsAtZero) {
  OptimizerOptions options;
  options.kind = OptimizerKind::kLars;
  const Parameter p = parameter(at::ones({2}) * 0);
  const auto optimizer = make_optimizer(options, {p});
  p.tensor.mutable_grad() = at::ones({2});
  optimizer->step(0.5);
  EXPECT_FLOAT_EQ(p.tensor.detach()[0].item<float>(), -0.5f);
}

TEST(Optimizer, SgdKeepsMomentum) {
  OptimizerOptions options;
  options.kind = OptimizerKind::kSgd;
  options.weight_decay = 0.5;
  const Parameter p = parameter(at::ones({1}));
  const auto optimizer = make_optimizer(options, {p});
  p.tensor.mutable_grad() = at::ones({1});
  optimizer->step(0.1);  // velocity 1 + 0.5, p 0.85
  optimizer->step(0.1);  // velocity 1.35 + 1 + 0.425, p 0.5725
  EXPECT_NEAR(p.tensor.detach()[0].item<double>(), 0.5725, 1e-6);
}

// Against torch.optim.RMSprop (tests/golden/optim/rmsprop.py).
TEST(Optimizer, RmsPropEqualsPyTorchs) {
  const Json golden = read_json_file(fixtures() + "/rmsprop_golden.json");
  ASSERT_EQ(golden.at("runs").size(), 3u);
  for (const Json& run : golden.at("runs")) {
    OptimizerOptions options;
    options.kind = OptimizerKind::kRmsProp;
    options.weight_decay = run.at("weight_decay").get<double>();
    options.alpha = run.at("alpha").get<double>();
    options.eps = run.at("eps").get<double>();
    const Parameter p = parameter(vector_of(golden.at("start")));
    const auto optimizer = make_optimizer(options, {p});
    for (size_t step = 0; step < golden.at("gradients").size(); ++step) {
      p.tensor.mutable_grad() = vector_of(golden.at("gradients")[step]);
      optimizer->step(run.at("lr").get<double>());
      EXPECT_TRUE(p.tensor.detach().allclose(vector_of(run.at("after")[step]), 1e-5, 1e-6))
          << run.at("weight_decay") << " step " << step;
    }
  }
}

TEST(Optimizer, LeavesParametersWithoutGradientAlone) {
  for (const OptimizerKind kind : kAllKinds) {
    OptimizerOptions options;
    options.kind = kind;
    const Parameter p = parameter(at::ones({3}));
    make_optimizer(options, {p})->step(0.1);
    EXPECT_TRUE(p.tensor.detach().equal(at::ones({3})));
  }
}

// A table of which few rows get a gradient, updated directly and in double by LibTorch's kernels.
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

// Each kind against its formula over the whole tensor, and bit-identical for any number of threads.
// The gradient has another memory layout than p.
TEST(Optimizer, LargeTensorsMoveInStretchesAsSmallOnesDo) {
  const int before = runtime::threads();
  const at::Tensor start = (at::arange(300 * 500, at::kFloat) * 0.7).sin().view({300, 500}),
                   slope = (at::arange(300 * 500, at::kFloat) * 0.3).cos().view({500, 300}).t();
  for (const OptimizerKind kind : kAllKinds) {
    OptimizerOptions options;
    options.kind = kind;
    options.weight_decay = 0.01;
    std::vector<at::Tensor> moved;
    for (const int threads : {1, 2, 5}) {
      runtime::set_threads(threads);
      const Parameter p = parameter(start);
      const auto optimizer = make_optimizer(options, {p});
      for (int step = 1; step <= 3; ++step) {
        p.tensor.mutable_grad() = slope * step;
        optimizer->step(0.1);
      }
      moved.push_back(p.tensor.detach());
    }
    EXPECT_TRUE(moved[1].equal(moved[0]) && moved[2].equal(moved[0])) << static_cast<int>(kind);
    if (kind == OptimizerKind::kLars)
      continue;  // whose step is scaled by norms of the whole tensor: tested below
    // A single row, which is contiguous.
    const Parameter row = parameter(start.narrow(0, 217, 1));
    const auto optimizer = make_optimizer(options, {row});
    for (int step = 1; step <= 3; ++step) {
      row.tensor.mutable_grad() = (slope * step).narrow(0, 217, 1);
      optimizer->step(0.1);
    }
    EXPECT_TRUE(row.tensor.detach().allclose(moved[0].narrow(0, 217, 1), 1e-6, 1e-7))
        << static_cast<int>(kind);
  }
  runtime::set_threads(before);
}

TEST(Optimizer, LarsTakesTheNormsOfAllStretches) {
  OptimizerOptions options;
  options.kind = OptimizerKind::kLars;
  options.weight_decay = 0.01;
  const at::Tensor start = (at::arange(300 * 500, at::kDouble) * 0.7).sin().view({300, 500}),
                   slope = (at::arange(300 * 500, at::kDouble) * 0.3).cos().view({300, 500});
  const Parameter p = parameter(start.to(at::kFloat));
  p.tensor.mutable_grad() = slope.to(at::kFloat);
  make_optimizer(options, {p})->step(0.1);
  const at::Tensor g = slope + start * options.weight_decay;
  const at::Tensor expected = start - g * (0.1 * options.trust * start.norm() / g.norm());
  EXPECT_TRUE(p.tensor.detach().to(at::kDouble).allclose(expected, 1e-6, 1e-7));
}

TEST(Optimizer, GoesOnFromItsState) {
  for (const OptimizerKind kind : kAllKinds) {
    OptimizerOptions options;
    options.kind = kind;
    const Parameter whole = parameter(at::ones({2}));
    const auto first = make_optimizer(options, {whole});
    whole.tensor.mutable_grad() = at::ones({2}) * 0.3;
    first->step(0.1);
    const Parameter resumed = parameter(whole.tensor.detach());
    const auto second = make_optimizer(options, {resumed});
    second->restore(first->state(), first->steps());
    for (const auto& p : {whole, resumed}) p.tensor.mutable_grad() = at::ones({2}) * -0.7;
    first->step(0.1);
    second->step(0.1);
    EXPECT_TRUE(whole.tensor.detach().equal(resumed.tensor.detach()));
    EXPECT_THROW(second->restore({}, 1), Error);
  }
}

// A gradient whose elements share memory cannot be scaled in place.
TEST(Optimizer, AnUpdateThatFailsHalfWayIsRemembered) {
  const Parameter first = parameter(at::ones({2})), second = parameter(at::ones({2}));
  OptimizerOptions options;
  options.kind = OptimizerKind::kLars;
  const auto optimizer = make_optimizer(options, {first, second});
  first.tensor.mutable_grad() = at::ones({2});
  second.tensor.mutable_grad() = at::ones({1}).expand({2});
  EXPECT_ANY_THROW(optimizer->step(0.1, 0.5));
  EXPECT_FALSE(first.tensor.detach().equal(at::ones({2})));
  EXPECT_TRUE(second.tensor.detach().equal(at::ones({2})));
  second.tensor.mutable_grad() = at::ones({2});
  expect_error(Status::kState, "go on from a saved run", [&] { optimizer->check_whole(); });
  expect_error(Status::kState, "go on from a saved run", [&] { optimizer->step(0.1); });
}

}  // namespace
}  // namespace contrastive::optim
