// CoSENT, AnglE and the squared error of the cosine against sentence-transformers' values, against
// a loop over the definition, and against differences.
#include "core/torch/objectives/pair_scores.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/base/json.h"
#include "tests/core/torch/objectives/finite_differences.h"
#include "tests/core/torch/objectives/json_matrix.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::objectives {
namespace {

at::Tensor labels_of(const std::vector<double>& values) { return at::tensor(values, at::kDouble); }

TEST(PairScores, EqualWhatSentenceTransformersComputes) {
  const Json file = read_json_file(fixtures() + "/../golden/methods/scored.json");
  ASSERT_EQ(file.at("objectives").size(), 2u);  // of an even and of an odd width
  for (const Json& test : file.at("objectives")) {
    const at::Tensor a = matrix(test.at("a")), b = matrix(test.at("b")),
                     scores = labels_of(test.at("scores"));
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
      const at::Tensor u = a.to(type), v = b.to(type);
      const double tolerance = type == at::kDouble ? 1e-6 : 1e-4;
      EXPECT_NEAR(cosent_loss(pair_cosines(u, v), scores, 20).item<double>(),
                  test.at("cosent").get<double>(), tolerance);
      EXPECT_NEAR(cosent_loss(pair_angles(u, v), scores, 20).item<double>(),
                  test.at("angle").get<double>(), tolerance);
      EXPECT_NEAR(score_squared_error(pair_cosines(u, v), scores).item<double>(),
                  test.at("mse").get<double>(), tolerance);
      EXPECT_EQ(cosent_loss(pair_cosines(u, v), scores, 20).scalar_type(), type);
    }
    EXPECT_EQ(pair_cosines(a.to(at::kBFloat16), b.to(at::kBFloat16)).scalar_type(), at::kFloat);
  }
}

TEST(PairScores, CosentEqualsALoopOverTheDefinition) {
  const std::vector<std::vector<double>> many = {{0, 1, 2, 3, 4, 5},
                                                 {5, 4, 3, 2, 1, 0},
                                                 {1, 1, 2, 2, 1, 3},
                                                 {0, 0, 0, 0, 0, 1},
                                                 {2.5, -1, 1e9, 2.5, 0, -1}};
  for (const std::vector<double>& scores : many) {
    const at::Tensor s = random_tensor({6}, 5);
    double sum = 1;
    for (size_t i = 0; i < 6; ++i) {
      for (size_t j = 0; j < 6; ++j) {
        const auto at_place = [&](size_t k) { return s[static_cast<int64_t>(k)].item<double>(); };
        if (scores[i] < scores[j]) sum += std::exp(1.5 * (at_place(i) - at_place(j)));
      }
    }
    EXPECT_NEAR(cosent_loss(s, labels_of(scores), 1.5).item<double>(), std::log(sum), 1e-12);
  }
}

TEST(PairScores, GradientsEqualFiniteDifferences) {
  const at::Tensor scores = labels_of({0, 2, 1, 2, 0.5});
  const auto check =
      [&](const std::function<at::Tensor(const at::Tensor&, const at::Tensor&)>& loss) {
        for (const int64_t width : {4, 5}) {
          expect_gradient_by_differences(
              [&](const std::vector<at::Tensor>& x) { return loss(x[0], x[1]); },
              {random_tensor({5, width}, 1), random_tensor({5, width}, 2)});
        }
      };
  check([&](const at::Tensor& a, const at::Tensor& b) {
    return cosent_loss(pair_cosines(a, b), scores, 3);
  });
  check([&](const at::Tensor& a, const at::Tensor& b) {
    return cosent_loss(pair_angles(a, b), scores, 3);
  });
  check([&](const at::Tensor& a, const at::Tensor& b) {
    return score_squared_error(pair_cosines(a, b), scores);
  });
}

TEST(PairScores, OnePairOrEqualScoresGiveExactlyZeroAndNoGradient) {
  for (const int64_t n : {1, 4}) {
    const at::Tensor a = random_tensor({n, 6}, 1).to(at::kFloat).requires_grad_(true),
                     b = random_tensor({n, 6}, 2).to(at::kFloat);
    const at::Tensor loss = cosent_loss(pair_cosines(a, b), at::ones({n}, at::kDouble), 20);
    EXPECT_EQ(loss.item<double>(), 0.0);
    loss.backward();
    EXPECT_EQ(a.grad().abs().max().item<double>(), 0.0);
  }
}

TEST(PairScores, LargeScalesAndZeroVectorsStayFinite) {
  at::Tensor a = random_tensor({6, 4}, 1).to(at::kFloat),
             b = random_tensor({6, 4}, 2).to(at::kFloat);
  a[2].zero_();
  a.requires_grad_(true);
  const at::Tensor loss = cosent_loss(pair_angles(a, b), labels_of({0, 1, 2, 3, 4, 5}), 1e4);
  loss.backward();
  EXPECT_TRUE(std::isfinite(loss.item<double>()));
  EXPECT_TRUE(a.grad().isfinite().all().item<bool>());
  EXPECT_EQ(a.grad()[2].abs().max().item<double>(), 0.0);
}

TEST(PairScores, RefuseWhatDoesNotFit) {
  expect_error(Status::kMismatch, "pairs need vectors of one width each, not [2, 3]",
               [&] { pair_cosines(random_tensor({2, 3}, 1), random_tensor({2, 4}, 1)); });
  expect_error(Status::kMismatch, "pairs need vectors of one width each, not [2, 3]",
               [&] { pair_angles(random_tensor({2, 3}, 1), random_tensor({3, 3}, 1)); });
  expect_error(Status::kMismatch, "each of the [3] similarities needs its score",
               [&] { cosent_loss(random_tensor({3}, 1), labels_of({1, 2}), 1); });
  expect_error(Status::kMismatch, "each of the [3] similarities needs its score",
               [&] { score_squared_error(random_tensor({3}, 1), labels_of({1, 2})); });
}

}  // namespace
}  // namespace contrastive::objectives
