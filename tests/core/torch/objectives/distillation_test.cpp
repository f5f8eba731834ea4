#include "core/torch/objectives/distillation.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/base/json.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::objectives {
namespace {

at::Tensor doubles(const std::vector<double>& values) { return at::tensor(values, at::kDouble); }

TEST(Distillation, VectorsByTheMeanOverAllNumbers) {
  const at::Tensor student = doubles({1, 2, 3, 4}).view({2, 2}),
                   teacher = doubles({1, 0, 3, 1}).view({2, 2});
  EXPECT_NEAR(vector_squared_error(student, teacher).item<double>(), (4 + 9) / 4.0, 1e-12);
  expect_error(Status::kMismatch, "the student's and the teacher's vectors must",
               [&] { vector_squared_error(student, doubles({1, 2, 3}).view({1, 3})); });
}

TEST(Distillation, MarginsAreOfEachNegativesOwnPair) {
  const CandidateScores student{doubles({5, 1}), doubles({3, 2, 0})},
      teacher{doubles({1, 2}), doubles({0, 0.5, 4})};
  const std::vector<int64_t> owners = {0, 0, 1};
  const at::Tensor margins = margins_of(teacher, owners);
  EXPECT_TRUE(margins.allclose(doubles({1, 0.5, -2})));
  EXPECT_NEAR(margin_squared_error(student, margins, owners).item<double>(),
              ((2 - 1) * (2 - 1) + (3 - 0.5) * (3 - 0.5) + (1 + 2) * (1 + 2)) / 3.0, 1e-12);
  EXPECT_EQ(margin_squared_error({doubles({1}), doubles({})}, doubles({}), {}).item<double>(), 0);
  expect_error(Status::kMismatch, "each of the 3 negatives needs its margin, not [1]",
               [&] { margin_squared_error(student, doubles({1}), owners); });
}

// Pairs with different numbers of negatives against a loop, and the gradient against differences.
TEST(Distillation, ScoresByTheDivergenceOfEachPairsCandidates) {
  const std::vector<double> own = {0.4, -1, 2, 0.1, 0.7, -0.3},
                            taught = {1.5, 0.2, 0.3, -2, 0, 1};  // three positives, three negatives
  const std::vector<int64_t> owners = {0, 0, 2};
  const std::vector<std::vector<size_t>> rows = {{0, 3, 4}, {1}, {2, 5}};
  const auto by_loop = [&](const std::vector<double>& s, double temperature) {
    double sum = 0;
    for (const auto& row : rows) {
      double total_s = 0, total_t = 0;
      for (const size_t i : row)
        total_s += std::exp(s[i] / temperature), total_t += std::exp(taught[i] / temperature);
      for (const size_t i : row) {
        const double p = std::exp(taught[i] / temperature) / total_t,
                     q = std::exp(s[i] / temperature) / total_s;
        sum += p * std::log(p / q);
      }
    }
    return sum / 3 * temperature * temperature;
  };
  const auto scores = [](const std::vector<double>& s, size_t first, size_t count) {
    return doubles({s.begin() + first, s.begin() + first + count});
  };
  for (const double temperature : {1.0, 2.5}) {
    const at::Tensor positives = scores(own, 0, 3).requires_grad_(true),
                     negatives = scores(own, 3, 3).requires_grad_(true);
    const at::Tensor loss =
        score_divergence({positives, negatives}, {scores(taught, 0, 3), scores(taught, 3, 3)},
                         owners, temperature);
    EXPECT_NEAR(loss.item<double>(), by_loop(own, temperature), 1e-12);
    loss.backward();
    for (size_t i = 0; i < own.size(); ++i) {
      std::vector<double> above = own, below = own;
      above[i] += 1e-5, below[i] -= 1e-5;
      const double slope = (by_loop(above, temperature) - by_loop(below, temperature)) / 2e-5;
      const at::Tensor& gradient = i < 3 ? positives.grad() : negatives.grad();
      EXPECT_NEAR(gradient[static_cast<int64_t>(i % 3)].item<double>(), slope, 1e-8) << i;
    }
  }
  EXPECT_EQ(score_divergence({doubles({1, 2}), doubles({})}, {doubles({3, 4}), doubles({})}, {}, 1)
                .item<double>(),
            0);
}

// tests/golden/methods/distill.py
TEST(Distillation, ValuesAreThoseOfSentenceTransformers) {
  const Json file = read_json_file(fixtures() + "/../golden/methods/distill.json").at("objectives");
  const auto column = [&](const char* name) {
    return doubles(file.at(name).get<std::vector<double>>());
  };
  const std::vector<int64_t> owners = file.at("owners").get<std::vector<int64_t>>();
  const CandidateScores student{column("student_positives"), column("student_negatives")};
  const CandidateScores teacher{column("teacher_positives"), column("teacher_negatives")};
  EXPECT_NEAR(margin_squared_error(student, margins_of(teacher, owners), owners).item<double>(),
              file.at("margin_mse").get<double>(), 1e-9);
  ASSERT_EQ(file.at("divergences").size(), 2u);
  for (const Json& run : file.at("divergences")) {
    EXPECT_NEAR(score_divergence(student, teacher, owners, run.at("temperature").get<double>())
                    .item<double>(),
                run.at("loss").get<double>(), 1e-9);
  }
}

}  // namespace
}  // namespace contrastive::objectives
