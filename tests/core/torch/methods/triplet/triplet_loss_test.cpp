// The triplet loss against sentence-transformers' values, against a loop over the definition, and
// against differences.
#include "core/torch/methods/triplet/triplet_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/json.h"
#include "tests/core/torch/objectives/finite_differences.h"
#include "tests/core/torch/objectives/json_matrix.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::methods {
namespace {

using objectives::expect_gradient_by_differences;
using objectives::matrix;
using objectives::random_tensor;

const std::vector<std::pair<std::string, Distance>> kDistances = {{"euclidean",
                                                                   Distance::kEuclidean},
                                                                  {"cosine", Distance::kCosine},
                                                                  {"manhattan",
                                                                   Distance::kManhattan}};

// Three anchors; the second has two negatives, the third none.
TripletVectors three_anchors() {
  return {random_tensor({3, 4}, 1), random_tensor({3, 4}, 2), random_tensor({3, 4}, 3),
          at::tensor({0, 1, 1}, at::kLong)};
}

TEST(TripletLoss, EqualsWhatSentenceTransformersComputes) {
  const Json test = read_json_file(fixtures() + "/../golden/methods/triplet.json").at("objectives");
  for (const auto& [name, distance] : kDistances) {
    const Json& expected = test.at(name);
    const TripletVectors t = {matrix(test.at("anchors")), matrix(test.at("positives")),
                              matrix(test.at("negatives")), at::arange(8, at::kLong)};
    EXPECT_NEAR(triplet_loss(t, distance, expected.at("margin")).item<double>(),
                expected.at("loss").get<double>(), 1e-6)
        << name;
  }
}

double by_hand(const at::Tensor& a, const at::Tensor& b, Distance distance) {
  double dot = 0, aa = 0, bb = 0, squares = 0, differences = 0;
  for (int64_t k = 0; k < a.size(0); ++k) {
    const double x = a[k].item<double>(), y = b[k].item<double>();
    dot += x * y, aa += x * x, bb += y * y, squares += (x - y) * (x - y),
        differences += std::fabs(x - y);
  }
  return distance == Distance::kCosine      ? 1 - dot / std::sqrt(aa * bb)
         : distance == Distance::kManhattan ? differences
                                            : std::sqrt(squares);
}

TEST(TripletLoss, EqualsALoopOverTheDefinition) {
  const TripletVectors t = three_anchors();
  for (const auto& [name, distance] : kDistances) {
    for (const double margin : {0.1, 5.0}) {
      double sum = 0;
      for (int64_t k = 0; k < 3; ++k) {
        const int64_t i = t.owners[k].item<int64_t>();
        sum += std::max(0.0, by_hand(t.anchors[i], t.positives[i], distance) -
                                 by_hand(t.anchors[i], t.negatives[k], distance) + margin);
      }
      EXPECT_NEAR(triplet_loss(t, distance, margin).item<double>(), sum / 3, 1e-12) << name;
    }
  }
}

TEST(TripletLoss, GradientEqualsFiniteDifferences) {
  const TripletVectors t = three_anchors();
  for (const auto& [name, distance] : kDistances) {
    const Distance kind = distance;
    expect_gradient_by_differences(
        [&](const std::vector<at::Tensor>& x) {
          return triplet_loss({x[0], x[1], x[2], t.owners}, kind, 2);
        },
        {t.anchors, t.positives, t.negatives});
  }
}

TEST(TripletLoss, WithoutNegativesItIsZeroAndSameVectorsHaveNoGradient) {
  for (const auto& [name, distance] : kDistances) {
    const at::Tensor a = random_tensor({2, 4}, 1).requires_grad_(true);
    const at::Tensor none =
        triplet_loss({a, random_tensor({2, 4}, 2), at::empty({0, 4}, at::kDouble),
                      at::empty({0}, at::kLong)},
                     distance, 1);
    EXPECT_EQ(none.item<double>(), 0.0) << name;
    none.backward();
    EXPECT_EQ(a.grad().abs().max().item<double>(), 0.0) << name;
    const at::Tensor x = random_tensor({1, 4}, 3).requires_grad_(true);
    const at::Tensor same = triplet_loss({x, x, x, at::tensor({0}, at::kLong)}, distance, 1);
    EXPECT_NEAR(same.item<double>(), 1.0, 1e-12) << name;
    same.backward();
    EXPECT_LT(x.grad().abs().max().item<double>(), 1e-12) << name;
  }
}

TEST(TripletLoss, RefusesWhatDoesNotFit) {
  TripletVectors t = three_anchors();
  t.owners = at::tensor({0}, at::kLong);
  expect_error(Status::kMismatch, "each of the 3 negatives needs its anchor",
               [&] { triplet_loss(t, Distance::kCosine, 1); });
  t = three_anchors();
  t.negatives = random_tensor({3, 5}, 3);
  expect_error(Status::kMismatch, "triplets need vectors of one width, not [3, 4], [3",
               [&] { triplet_loss(t, Distance::kCosine, 1); });
}

}  // namespace
}  // namespace contrastive::methods
