#include "core/torch/methods/clsr/clsr_head.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sin.h>
#include <gmock/gmock.h>

#include "core/torch/tensors/tensors.h"
#include "tests/core/torch/optim/vectors.h"

namespace contrastive::methods {
namespace {

at::Tensor sample(int64_t rows, int64_t columns) {
  return at::sin(at::arange(rows * columns, at::kFloat) * 1.7).view({rows, columns});
}

// The vectors that sentence-transformers computes from the modules.
at::Tensor run_modules(const std::vector<io::DenseModule>& modules, at::Tensor x) {
  for (const auto& module : modules) {
    x = at::linear(x, tensors::to_torch(module.weight), tensors::to_torch(module.bias));
    if (module.activation == "relu") x = at::relu(x);
  }
  return x;
}

void disturb(const ClsrHead& head) {
  const at::NoGradGuard no_grad;
  int64_t i = 0;
  for (const Parameter& p : head.parameters()) {
    p.tensor.detach().add_(sample(1, p.tensor.numel()).view(p.tensor.sizes()),
                           0.3 / static_cast<double>(++i));
  }
}

std::vector<ClsrHeadOptions> all_shapes() {
  std::vector<ClsrHeadOptions> shapes;
  for (const EncoderInit init :
       {EncoderInit::kRandom, EncoderInit::kIdentity, EncoderInit::kResidual}) {
    for (const ReluAt relu : {ReluAt::kHidden, ReluAt::kOutput, ReluAt::kBoth}) {
      for (const Projection projection :
           {Projection::kNone, Projection::kLinear, Projection::kMlp}) {
        ClsrHeadOptions options;
        options.input = 6;
        options.hidden = 5;
        options.output = 4;
        options.projection_output = 3;
        options.init = init;
        options.relu = relu;
        options.projection = projection;
        shapes.push_back(options);
      }
    }
  }
  return shapes;
}

TEST(ClsrHead, EqualsTheTestVectors) {
  const Json heads = test_vectors("heads");
  ClsrHeadOptions options;
  options.input = 2;
  options.hidden = options.output = 3;
  options.projection_output = 3;
  const ClsrHead head(options);
  const at::NoGradGuard no_grad;
  const char* tensors[] = {"W1", "b1", "W2",
                           "b2", "W2", "b1"};  // the vectors take W3 = W2, b3 = b1
  for (size_t i = 0; i < 6; ++i) {
    const Json& values = heads.at(tensors[i]);
    head.parameters()[i].tensor.detach().copy_(values[0].is_array() ? matrix_of(values)
                                                                    : vector_of(values));
  }
  const at::Tensor v = head.encode(vector_of(heads.at("x")).unsqueeze(0));
  EXPECT_TRUE(v[0].allclose(vector_of(heads.at("clsr").at("e")), 1e-5, 1e-6));
  EXPECT_TRUE(head.project(v)[0].allclose(vector_of(heads.at("clsr").at("z")), 1e-5, 1e-6));
}

TEST(ClsrHead, IdentityAndResidualBeginAsTheInput) {
  for (const EncoderInit init : {EncoderInit::kIdentity, EncoderInit::kResidual}) {
    ClsrHeadOptions options;
    options.input = 6;
    options.hidden = 5;
    options.init = init;
    const at::Tensor x = sample(4, 6);
    EXPECT_TRUE(ClsrHead(options).encode(x).detach().equal(x));
    EXPECT_TRUE(run_modules(ClsrHead(options).modules(false), x).equal(x));
  }
}

TEST(ClsrHead, DeliversWhatItComputesInEveryShape) {
  const at::Tensor x = sample(7, 6);
  for (const ClsrHeadOptions& options : all_shapes()) {
    const ClsrHead head(options);
    disturb(head);
    const at::Tensor v = head.encode(x).detach(), z = head.project(v).detach();
    EXPECT_TRUE(run_modules(head.modules(false), x).allclose(v, 1e-5, 1e-6));
    EXPECT_TRUE(run_modules(head.modules(true), x).allclose(z, 1e-5, 1e-6));
  }
}

TEST(ClsrHead, FoldsTheInputsScalingIntoTheFirstModule) {
  const at::Tensor x = sample(7, 6), mean = sample(1, 6)[0] * 0.2,
                   scale = at::arange(1, 7, at::kFloat);
  for (const ClsrHeadOptions& options : all_shapes()) {
    const ClsrHead head(options);
    disturb(head);
    EXPECT_TRUE(run_modules(head.modules(false, mean, scale), x)
                    .allclose(head.encode((x - mean) * scale).detach(), 1e-4, 1e-5));
  }
}

TEST(ClsrHead, DeliveredModulesDoNotMoveWithTheWeights) {
  ClsrHeadOptions options;
  options.input = 6;
  options.init = EncoderInit::kIdentity;
  const ClsrHead head(options);
  const auto modules = head.modules(false);
  disturb(head);
  EXPECT_TRUE(tensors::to_torch(modules[0].weight).equal(at::eye(6)));
}

TEST(ClsrHead, TheSeedDecidesTheStart) {
  ClsrHeadOptions options;
  options.input = 6;
  const auto first_weight = [&](uint64_t seed) {
    options.seed = seed;
    return ClsrHead(options).parameters()[0].tensor.detach();
  };
  EXPECT_TRUE(first_weight(1).equal(first_weight(1)));
  EXPECT_FALSE(first_weight(1).equal(first_weight(2)));
  const double bound = 1 / std::sqrt(6.0);
  EXPECT_LE(first_weight(1).abs().max().item<double>(), bound);
  EXPECT_GT(first_weight(1).abs().max().item<double>(), 0.95 * bound);
  EXPECT_NEAR(first_weight(1).mean().item<double>(), 0, 0.02);
}

}  // namespace
}  // namespace contrastive::methods
