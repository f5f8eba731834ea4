#include "core/torch/methods/dense_head.h"

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include "core/model/post_pooling.h"
#include "tests/core/torch/optim/vectors.h"

namespace contrastive::methods {
namespace {

TEST(DenseHead, EqualsTheTestVectorsOfTheProjectionHead) {
  const Json heads = test_vectors("heads");
  const DenseHead head("head", {{2, 3, "gelu"}, {3, 3, "gelu"}}, 0.02, 1, at::kCPU);
  const char* tensors[] = {"W1", "b1", "W2", "b2"};
  ASSERT_EQ(head.parameters().size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    const Json& values = heads.at(tensors[i]);
    head.parameters()[i].tensor.detach().copy_(values[0].is_array() ? matrix_of(values)
                                                                    : vector_of(values));
  }
  const at::Tensor y = head(vector_of(heads.at("x")).unsqueeze(0));
  EXPECT_TRUE(y[0].allclose(vector_of(heads.at("sg_projection").at("y")), 1e-5, 1e-6));
}

TEST(DenseHead, StartsFromASeededNormalAndZeroBiases) {
  const DenseHead head("mlp", {{64, 96, "tanh"}}, 0.02, 5, at::kCPU),
      same("mlp", {{64, 96, "tanh"}}, 0.02, 5, at::kCPU);
  const DenseHead other("mlp", {{64, 96, "tanh"}}, 0.02, 6, at::kCPU);
  const at::Tensor weight = head.parameters()[0].tensor.detach();
  EXPECT_TRUE(weight.equal(same.parameters()[0].tensor));
  EXPECT_FALSE(weight.equal(other.parameters()[0].tensor));
  EXPECT_NEAR(weight.mean().item<double>(), 0, 0.001);
  EXPECT_NEAR(weight.square().mean().sqrt().item<double>(), 0.02, 0.001);
  EXPECT_EQ(head.parameters()[1].tensor.abs().max().item<double>(), 0);
  EXPECT_EQ(head.parameters()[0].name, "mlp.0.weight");
  EXPECT_TRUE(head.parameters()[0].decay);
  EXPECT_FALSE(head.parameters()[1].decay);
}

TEST(DenseHead, ModulesAreIndependentCopies) {
  const DenseHead head("mlp", {{4, 4, "tanh"}}, 0.5, 5, at::kCPU);
  const at::Tensor x = matrix_of(Json::parse("[[1, 2, 3, 4]]"));
  const std::vector<io::DenseModule> modules = head.modules();
  std::vector<float> rows{1, 2, 3, 4};
  ASSERT_EQ(model::apply_dense(modules, rows, 1, 4), 4);
  const at::Tensor expected = head(x).detach();
  for (size_t i = 0; i < rows.size(); ++i)
    EXPECT_NEAR(rows[i], expected[0][static_cast<int64_t>(i)].item<float>(), 1e-6);
  const Tensor before = modules[0].weight.clone();
  head.parameters()[0].tensor.detach().add_(1);
  EXPECT_TRUE(modules[0].weight == before);
}

TEST(DenseHead, WithoutLayersIsTheIdentity) {
  const at::Tensor x = matrix_of(Json::parse("[[1, 2]]"));
  EXPECT_TRUE(DenseHead()(x).equal(x));
  EXPECT_TRUE(DenseHead().parameters().empty());
}

}  // namespace
}  // namespace contrastive::methods
