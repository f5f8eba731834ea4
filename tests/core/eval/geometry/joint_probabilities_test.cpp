// Against scikit-learn's joint probabilities (tests/golden/eval/geometry.py).
#include "core/eval/geometry/joint_probabilities.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "core/runtime/threads.h"
#include "tests/core/eval/files.h"
#include "tests/core/eval/random_points.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

TEST(JointProbabilities, EqualScikitLearn) {
  const Json& golden = fixture("eval_geometry.json")["tsne"];
  const auto points = golden["points"].get<std::vector<float>>();
  const auto d = golden["dimension"].get<int64_t>(), n = static_cast<int64_t>(points.size()) / d;
  const std::vector<double> p =
      joint_probabilities(points.data(), n, d, golden["perplexity"].get<double>());
  size_t at = 0;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = i + 1; j < n; ++j, ++at) {
      const double theirs =
          golden["joint_probabilities"][at].get<double>();  // its entropies are accurate to 1e-5
                                                            // only
      EXPECT_NEAR(p[i * n + j], theirs, 2e-4 * theirs + 1e-9) << i << ", " << j;
    }
  }
}

TEST(JointProbabilities, AreSymmetricAndSumToOneForEveryThreadCount) {
  const int64_t n = 150;
  const std::vector<float> x = random_points(n, 6);
  const std::vector<double> p = joint_probabilities(x.data(), n, 6, 20);
  EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-12);
  for (int64_t i = 0; i < n; ++i) {
    EXPECT_EQ(p[i * n + i], 0);
    for (int64_t j = 0; j < i; ++j) ASSERT_EQ(p[i * n + j], p[j * n + i]);
  }
  for (int threads : {1, 3}) {
    runtime::set_threads(threads);
    EXPECT_EQ(joint_probabilities(x.data(), n, 6, 20), p);
  }
}

TEST(JointProbabilities, TheExtremesOfPerplexity) {
  // With all other points as neighbours, all probabilities are nearly equal at any distance. The
  // entropy is flat there, so its tolerance allows small differences.
  const std::vector<float> line = {0, 1, 10, 100};
  for (const double share : joint_probabilities(line.data(), 4, 1, 3))
    EXPECT_TRUE(share == 0 || std::abs(share - 1.0 / 12) < 1e-5) << share;
  // One neighbour: the nearest.
  const std::vector<double> one = joint_probabilities(line.data(), 4, 1, 1);
  EXPECT_NEAR(one[0 * 4 + 1], 2.0 / 8, 1e-9);  // each is the other's nearest
  EXPECT_NEAR(one[1 * 4 + 2], 1.0 / 8, 1e-9);
  EXPECT_NEAR(one[0 * 4 + 3], 0, 1e-9);
}

TEST(JointProbabilities, EqualPointsAndAnyScale) {
  const std::vector<float> same(5 * 3, 0.25f);
  const std::vector<double> p = joint_probabilities(same.data(), 5, 3, 2);
  for (int64_t i = 0; i < 25; ++i) EXPECT_NEAR(p[i], i % 6 == 0 ? 0 : 1.0 / 20, 1e-12);
  std::vector<float> x = random_points(40, 3);
  const std::vector<double> plain = joint_probabilities(x.data(), 40, 3, 8);
  for (const float scale : {1e-12f, 1e12f}) {
    std::vector<float> scaled = x;
    for (float& value : scaled) value *= scale;
    const std::vector<double> other = joint_probabilities(scaled.data(), 40, 3, 8);
    for (size_t i = 0; i < plain.size(); ++i) ASSERT_NEAR(other[i], plain[i], 1e-7) << scale;
  }
}

TEST(JointProbabilities, RefusesWhatIsNone) {
  std::vector<float> x = random_points(10, 2);
  expect_error(Status::kArgument, "perplexity is 9.5: from 1 to 9 is allowed for 10",
               [&] { joint_probabilities(x.data(), 10, 2, 9.5); });
  expect_error(Status::kArgument, "perplexity is 0.5: from 1 to 9 is allowed for 10",
               [&] { joint_probabilities(x.data(), 10, 2, 0.5); });
  expect_error(Status::kArgument, "joint probabilities of points of shape [1, 2]",
               [&] { joint_probabilities(x.data(), 1, 2, 1); });
  x[3] = std::numeric_limits<float>::infinity();
  expect_error(Status::kNumeric, "vector 1 is not finite",
               [&] { joint_probabilities(x.data(), 10, 2, 3); });
}

}  // namespace
}  // namespace contrastive::eval
