#include "core/torch/augment/embeddings/fast_gradient.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "core/base/json.h"
#include "tests/fixtures_folder.h"

namespace contrastive::augment {
namespace {

at::Tensor matrix(const Json& rows) {
  std::vector<double> values;
  for (const Json& row : rows) {
    for (const Json& x : row) values.push_back(x);
  }
  return at::tensor(values, at::kDouble).reshape({static_cast<int64_t>(rows.size()), -1});
}

TEST(FastGradient, EqualsThePublishedStep) {
  const Json vectors = read_json_file(fixtures() + "/consert_vectors.json")["fgv"];
  const at::Tensor step =
      fast_gradient_step(matrix(vectors["grad"]), {vectors["noise_norm"], true});
  EXPECT_LT((step - matrix(vectors["perturbation"])).abs().max().item<double>(), 1e-12);
}

TEST(FastGradient, EveryTokenMovesByEpsOrNotAtAll) {
  const at::Tensor gradient = at::tensor({3.0, 4.0, 0.0, 0.0, -1e-3, 2e-3}, at::kDouble)
                                  .reshape({3, 2})
                                  .requires_grad_(true);
  const at::Tensor step = fast_gradient_step(gradient, {0.25, true}),
                   length = at::linalg_vector_norm(step, 2, at::IntArrayRef{1});
  EXPECT_FALSE(step.requires_grad()) << "the step is a constant";
  EXPECT_NEAR(length[0].item<double>(), 0.25, 1e-9);
  EXPECT_EQ(length[1].item<double>(), 0);
  EXPECT_NEAR(length[2].item<double>(), 0.25, 1e-6);
}

TEST(FastGradient, WithoutNormalizationTheGradientIsScaled) {
  const at::Tensor gradient = at::tensor({3.0, 4.0, 0.5, -2.0}, at::kDouble).reshape({2, 2});
  EXPECT_TRUE(fast_gradient_step(gradient, {2, false}).equal(gradient * 2));
}

}  // namespace
}  // namespace contrastive::augment
