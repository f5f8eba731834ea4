// The classification loss of pairs against published values, and its gradient against finite
// differences.
#include "core/torch/objectives/pair_cross_entropy.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/base/json.h"
#include "tests/core/torch/objectives/finite_differences.h"
#include "tests/core/torch/objectives/json_matrix.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::objectives {
namespace {

const std::vector<PairFeature> kAll = {PairFeature::kBoth, PairFeature::kDifference,
                                       PairFeature::kProduct, PairFeature::kMaxSquare};

TEST(PairCrossEntropy, EqualsThePublishedValues) {
  const Json test = read_json_file(fixtures() + "/consert_vectors.json")["nli_classification"];
  const at::Tensor labels = at::tensor(test["labels"].get<std::vector<int64_t>>(), at::kLong);
  const at::Tensor bias = at::tensor(test["bias"].get<std::vector<double>>(), at::kDouble);
  for (const auto& [name, features] :
       {std::pair("paper", std::vector<PairFeature>{kAll[0], kAll[1]}),
        std::pair("consert_code", std::vector<PairFeature>{kAll[0], kAll[1], kAll[3]})}) {
    const at::Tensor u = matrix(test["u"]), v = matrix(test["v"]), weight = matrix(test[name]["W"]);
    const double expected = test[name]["expected"]["mean"];
    EXPECT_NEAR(pair_cross_entropy(u, v, labels, weight, bias, features).item<double>(), expected,
                1e-10)
        << name;
    const at::Tensor single =
        pair_cross_entropy(u.to(at::kFloat), v.to(at::kFloat), labels, weight, bias, features);
    EXPECT_EQ(single.scalar_type(), at::kFloat);
    EXPECT_NEAR(single.item<double>(), expected, 1e-6) << name;
    const at::Tensor logits = at::matmul(pair_features(u, v, features), weight.t()) + bias;
    EXPECT_TRUE(logits.allclose(matrix(test[name]["expected"]["logits"]), 0, 1e-10)) << name;
    for (int64_t i = 0; i < u.size(0); ++i) {
      const double row = pair_cross_entropy(u.narrow(0, i, 1), v.narrow(0, i, 1),
                                            labels.narrow(0, i, 1), weight, bias, features)
                             .item<double>();
      EXPECT_NEAR(row, test[name]["expected"]["rows"][static_cast<size_t>(i)].get<double>(), 1e-10)
          << name;
    }
    EXPECT_EQ(pair_cross_entropy(u.to(at::kBFloat16), v.to(at::kBFloat16), labels, weight, bias,
                                 features)
                  .scalar_type(),
              at::kFloat);
  }
}

TEST(PairCrossEntropy, FeaturesStandInTheirOrder) {
  const at::Tensor u = at::tensor({1.0, -3.0}, at::kDouble).reshape({1, 2}),
                   v = at::tensor({0.5, 2.0}, at::kDouble).reshape({1, 2});
  const at::Tensor expected =
      at::tensor({1.0, 4.0, 0.5, -6.0, 0.5, 5.0, 1.0, -3.0, 0.5, 2.0}, at::kDouble)
          .reshape({1, 10});
  EXPECT_TRUE(pair_features(u, v, {kAll[3], kAll[2], kAll[1], kAll[0]}).allclose(expected));
}

TEST(PairCrossEntropy, GradientEqualsFiniteDifferences) {
  const at::Tensor labels = at::tensor(std::vector<int64_t>{2, 0, 1, 1}, at::kLong);
  const Loss loss = [&](const std::vector<at::Tensor>& x) {
    return pair_cross_entropy(x[0], x[1], labels, x[2], x[3], kAll);
  };
  expect_gradient_by_differences(loss, {random_tensor({4, 3}, 1), random_tensor({4, 3}, 2),
                                        random_tensor({3, 15}, 3), random_tensor({3}, 4)});
}

TEST(PairCrossEntropy, RefusesUnknownFeaturesAndOtherWidths) {
  for (const auto& [names, part] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{{{"uv", "absdif"},
                                                                      "did you mean 'absdiff'"},
                                                                     {{"uv", "uv"}, "twice"},
                                                                     {{}, "names no feature"}}) {
    expect_error(Status::kArgument, part,
                 [&, names = names] { parse_pair_features(names, "consert.nli_features"); });
  }
  const at::Tensor u = random_tensor({2, 3}, 1);
  const at::Tensor labels = at::tensor(std::vector<int64_t>{0, 0}, at::kLong);
  expect_error(Status::kMismatch, "the classifier reads 6 features, not 15", [&] {
    pair_cross_entropy(u, u, labels, random_tensor({3, 6}, 2), random_tensor({3}, 3), kAll);
  });
}

}  // namespace
}  // namespace contrastive::objectives
