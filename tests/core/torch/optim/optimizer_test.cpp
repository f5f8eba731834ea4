#include "core/torch/optim/optimizer.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/runtime/threads.h"
#include "core/torch/optim/optimizer_list.h"
#include "tests/expect_error.h"
#include "tests/core/torch/optim/one_parameter.h"

namespace contrastive::optim {
namespace {

TEST(Optimizer, LeavesParametersWithoutGradientAlone) {
  for (const OptimizerEntry& entry : all_optimizers()) {
    OptimizerOptions options;
    options.name = entry.name;
    const Parameter p = parameter(at::ones({3}));
    make_optimizer(options, {p})->step(0.1);
    EXPECT_TRUE(p.tensor.detach().equal(at::ones({3})));
  }
}

// Each optimizer against its formula over the whole tensor, and bit-identical for any number of
// threads. The gradient has another memory layout than p.
TEST(Optimizer, LargeTensorsMoveInStretchesAsSmallOnesDo) {
  const int before = runtime::threads();
  const at::Tensor start = (at::arange(300 * 500, at::kFloat) * 0.7).sin().view({300, 500}),
                   slope = (at::arange(300 * 500, at::kFloat) * 0.3).cos().view({500, 300}).t();
  for (const OptimizerEntry& entry : all_optimizers()) {
    OptimizerOptions options;
    options.name = entry.name;
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
    EXPECT_TRUE(moved[1].equal(moved[0]) && moved[2].equal(moved[0])) << entry.name;
    if (options.name == "lars")
      continue;  // whose step is scaled by norms of the whole tensor: tested below
    // A single row, which is contiguous.
    const Parameter row = parameter(start.narrow(0, 217, 1));
    const auto optimizer = make_optimizer(options, {row});
    for (int step = 1; step <= 3; ++step) {
      row.tensor.mutable_grad() = (slope * step).narrow(0, 217, 1);
      optimizer->step(0.1);
    }
    EXPECT_TRUE(row.tensor.detach().allclose(moved[0].narrow(0, 217, 1), 1e-6, 1e-7)) << entry.name;
  }
  runtime::set_threads(before);
}

TEST(Optimizer, GoesOnFromItsState) {
  for (const OptimizerEntry& entry : all_optimizers()) {
    OptimizerOptions options;
    options.name = entry.name;
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
    expect_error(Status::kMismatch, "the saved optimiser has no tensor",
                 [&] { second->restore({}, 1); });
  }
}

// A gradient whose elements share memory cannot be scaled in place.
TEST(Optimizer, AnUpdateThatFailsHalfWayIsRemembered) {
  const Parameter first = parameter(at::ones({2})), second = parameter(at::ones({2}));
  OptimizerOptions options;
  options.name = "lars";
  const auto optimizer = make_optimizer(options, {first, second});
  first.tensor.mutable_grad() = at::ones({2});
  second.tensor.mutable_grad() = at::ones({1}).expand({2});
  EXPECT_THROW(optimizer->step(0.1, 0.5), c10::Error);
  EXPECT_FALSE(first.tensor.detach().equal(at::ones({2})));
  EXPECT_TRUE(second.tensor.detach().equal(at::ones({2})));
  second.tensor.mutable_grad() = at::ones({2});
  expect_error(Status::kState, "go on from a saved run", [&] { optimizer->check_whole(); });
  expect_error(Status::kState, "go on from a saved run", [&] { optimizer->step(0.1); });
}

}  // namespace
}  // namespace contrastive::optim
