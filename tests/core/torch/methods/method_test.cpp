#include "core/torch/methods/method.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/scalar_tensor.h>
#include <gtest/gtest.h>

#include "tests/core/torch/methods/method_tests.h"

namespace contrastive::methods {
namespace {

Views part(int64_t rows, double sum, double count) {
  Views views;
  views.vectors.push_back({"a", at::arange(rows * 2).view({rows, 2})});
  views.means.push_back({"words", at::scalar_tensor(sum), count});
  views.tokens = rows * 3;
  return views;
}

TEST(Views, OfPartsJoinAlongTheRows) {
  const Views whole = join({part(2, 1.5, 4), part(1, 2, 0), part(3, 0.5, 1)});
  EXPECT_TRUE(whole.has("a"));
  EXPECT_FALSE(whole.has("b"));
  EXPECT_EQ(whole["a"].sizes(), (std::vector<int64_t>{6, 2}));
  EXPECT_EQ(whole["a"][5][1].item<int64_t>(), 5);
  EXPECT_DOUBLE_EQ(whole.means[0].sum.item<double>(), 4);
  EXPECT_EQ(whole.means[0].count, 5);
  EXPECT_EQ(whole.tokens, 18);
  EXPECT_THROW(whole["b"], c10::Error);
  EXPECT_THROW(join({}), c10::Error);
}

TEST(Method, IsOfOneOfTwoKinds) {
  const auto method = make_method("simcse");
  EXPECT_EQ(encoder_method(*method), method.get());
  EXPECT_EQ(reranker_method(*method), nullptr);
  EXPECT_EQ(method->deliver()->dimension(), method->dimension());
}

}  // namespace
}  // namespace contrastive::methods
