#include "core/torch/optim/gradients.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/core/torch/optim/vectors.h"

namespace contrastive::optim {
namespace {

using ::testing::HasSubstr;

std::vector<Parameter> with_gradients(const std::vector<at::Tensor>& gradients) {
  std::vector<Parameter> parameters;
  for (const at::Tensor& gradient : gradients) {
    at::Tensor tensor = at::ones(gradient.sizes());
    tensor.set_requires_grad(true);
    tensor.mutable_grad() = gradient.clone();
    parameters.push_back({"p" + std::to_string(parameters.size()), tensor, true});
  }
  return parameters;
}

TEST(Gradients, ClippingEqualsTheTestVectors) {
  const Json vectors = test_vectors("optim").at("clip_global_norm");
  const auto parameters =
      with_gradients({vector_of(vectors.at("grads")[0]), vector_of(vectors.at("grads")[1])});
  const double norm = gradient_norm(parameters);
  EXPECT_NEAR(norm, vectors.at("total_norm").get<double>(), 1e-5);
  const double factor = clip_factor(norm, vectors.at("max_norm").get<double>());
  for (size_t i = 0; i < 2; ++i)
    EXPECT_TRUE((parameters[i].tensor.grad() * factor)
                    .allclose(vector_of(vectors.at("clipped")[i]), 1e-6, 1e-7));
  EXPECT_EQ(clip_factor(0.1, 1), 1);
}

TEST(Gradients, NamesTheFirstBadTensor) {
  auto parameters = with_gradients({at::ones({2}), at::ones({3})});
  EXPECT_EQ(first_bad_tensor(parameters), "");
  parameters[1].tensor.mutable_grad()[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(std::isfinite(gradient_norm(parameters)));
  EXPECT_THAT(first_bad_tensor(parameters), HasSubstr("the gradient of 'p1' (1 of 3 elements)"));
  parameters[0].tensor.detach()[0] = std::numeric_limits<float>::infinity();
  EXPECT_THAT(first_bad_tensor(parameters), HasSubstr("the weight 'p0' (1 of 2 elements)"));
  clear_gradients(parameters);
  EXPECT_FALSE(parameters[1].tensor.grad().defined());
}

}  // namespace
}  // namespace contrastive::optim
