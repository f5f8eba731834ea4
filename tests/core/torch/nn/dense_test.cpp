#include "core/torch/nn/dense.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/sin.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/encoder/inference.h"
#include "tests/expect_error.h"

namespace contrastive::nn {
namespace {

at::Tensor sample(int64_t rows, int64_t columns) {
  return at::sin(at::arange(rows * columns, at::kFloat) * 1.7).view({rows, columns});
}

TEST(Dense, EveryActivationIsWhatItsNameSays) {
  const at::Tensor weight = sample(3, 4), x = sample(5, 4) + 0.25;
  const at::Tensor y = x.matmul(weight.t());
  const auto run = [&](const char* activation) {
    return run_dense({{weight, at::Tensor(), activation}}, x);
  };
  EXPECT_TRUE(run("identity").allclose(y));
  EXPECT_TRUE(run("relu").allclose(y.clamp_min(0)));
  EXPECT_TRUE(run("tanh").allclose(y.tanh()));
  EXPECT_TRUE(run("sigmoid").allclose(y.sigmoid()));
  EXPECT_TRUE(run("gelu").allclose(0.5 * y * (1 + (y / std::sqrt(2.0)).erf()), 1e-5, 1e-6));
  EXPECT_TRUE(run("silu").allclose(y * y.sigmoid(), 1e-5, 1e-6));
  EXPECT_TRUE(run("mish").allclose(y * (1 + y.exp()).log().tanh(), 1e-5, 1e-6));
  EXPECT_TRUE(run_dense({{weight, at::Tensor(), "identity", true}}, x)
                  .allclose(y / (x * x).sum({1}, true).sqrt(), 1e-5, 1e-6));
  expect_error(Status::kUnsupported, "'softmax'", [&] { run("softmax"); });
}

// The module with which encode() computes a dense layer.
TEST(Dense, RowsOnTheCpuGiveTheSame) {
  const at::Tensor weight = sample(37, 40), bias = sample(1, 37)[0], x = sample(19, 40);
  const at::Tensor expected = run_dense({{weight, bias, "identity"}}, x);
  at::Tensor y = at::zeros({19, 37});
  encoder::dense_rows(x.const_data_ptr<float>(), 19,
                      {weight.const_data_ptr<float>(), nullptr, bias.const_data_ptr<float>()}, 40,
                      37, y.mutable_data_ptr<float>());
  EXPECT_TRUE(y.allclose(expected, 1e-5, 1e-5));
}

}  // namespace
}  // namespace contrastive::nn
