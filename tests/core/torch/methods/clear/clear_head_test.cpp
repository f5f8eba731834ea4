#include "core/torch/methods/clear/clear_head.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/relu.h>
#include <gtest/gtest.h>

#include "tests/core/torch/objectives/finite_differences.h"
#include "tests/core/torch/optim/vectors.h"

namespace contrastive::methods {
namespace {

using objectives::random_tensor;

ClearHead make(ClearHeadKind kind, int64_t input, int64_t hidden, int64_t output,
               bool final_relu = true) {
  ClearHeadOptions options;
  options.kind = kind;
  options.input = input;
  options.hidden = hidden;
  options.output = output;
  options.final_relu = final_relu;
  return ClearHead(options, at::kCPU);
}

void set(const ClearHead& head, const std::string& name, const at::Tensor& value) {
  for (const Parameter& parameter : head.parameters()) {
    if (parameter.name == name) return void(parameter.tensor.detach().copy_(value));
  }
  FAIL() << name;
}

TEST(ClearHead, EqualsThePublishedValues) {
  const Json test = test_vectors("heads");
  const ClearHead head = make(ClearHeadKind::kCode, 2, 3, 3);
  set(head, "head.0.weight", matrix_of(test.at("W1")));
  set(head, "head.0.bias", vector_of(test.at("b1")));
  set(head, "head.1.weight", matrix_of(test.at("W2")));
  set(head, "head.1.bias", vector_of(test.at("b2")));
  const at::Tensor y = head.project(vector_of(test.at("x")).view({1, 2}));
  EXPECT_TRUE(y.allclose(vector_of(test.at("clear_projection").at("y")).view({1, 3}), 1e-5, 1e-6))
      << y;
}

TEST(ClearHead, TheLastReluIsAChoice) {
  const at::Tensor x = random_tensor({6, 5}, 1).to(at::kFloat);
  const at::Tensor open = make(ClearHeadKind::kCode, 5, 5, 8, false).project(x),
                   closed = make(ClearHeadKind::kCode, 5, 5, 8).project(x);
  EXPECT_LT(open.min().item<double>(), 0);
  EXPECT_TRUE(closed.equal(at::relu(open)));
}

TEST(ClearHead, SimclrsIsTwoMatricesAndNoneIsNothing) {
  const ClearHead head = make(ClearHeadKind::kSimclrMlp, 5, 4, 3),
                  none = make(ClearHeadKind::kNone, 5, 5, 3);
  ASSERT_EQ(head.parameters().size(), 2u);
  const at::Tensor x = random_tensor({6, 5}, 1).to(at::kFloat);
  const at::Tensor expected =
      at::relu(x.matmul(head.parameters()[0].tensor.t())).matmul(head.parameters()[1].tensor.t());
  EXPECT_TRUE(head.project(x).allclose(expected, 1e-5, 1e-7));
  EXPECT_TRUE(none.parameters().empty());
  EXPECT_TRUE(none.project(x).equal(x));
}

TEST(ClearHead, StartsAsBertsLayersDo) {
  const ClearHead head = make(ClearHeadKind::kCode, 64, 64, 128);
  ASSERT_EQ(head.parameters().size(), 6u);
  EXPECT_NEAR(head.parameters()[0].tensor.square().mean().sqrt().item<double>(), 0.02, 0.002);
  EXPECT_NEAR(head.parameters()[4].tensor.square().mean().sqrt().item<double>(), 0.02, 0.002);
  EXPECT_EQ(head.parameters()[1].tensor.abs().max().item<double>(), 0);
  for (const Parameter& p : head.parameters()) EXPECT_EQ(p.decay, p.tensor.dim() == 2) << p.name;
}

TEST(ClearHead, GradientByDifferences) {
  for (const ClearHeadKind kind : {ClearHeadKind::kCode, ClearHeadKind::kSimclrMlp}) {
    ClearHead head = make(kind, 3, 4, 5);
    for (const Parameter& p : head.parameters())
      p.tensor.set_data(random_tensor(p.tensor.sizes().vec(), 9));
    objectives::expect_gradient_by_differences(
        [&](const auto& x) { return head.project(x[0]).square().sum(); },
        {random_tensor({2, 3}, 4)}, 1e-4);
  }
}

}  // namespace
}  // namespace contrastive::methods
