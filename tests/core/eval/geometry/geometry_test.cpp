#include "core/eval/geometry/geometry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/runtime/threads.h"
#include "tests/core/eval/files.h"
#include "tests/core/eval/random_points.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

std::vector<float> matrix(const Json& rows) {
  std::vector<float> values;
  for (const Json& row : rows) {
    for (const Json& x : row) values.push_back(x.get<float>());
  }
  return values;
}

TEST(Geometry, EqualsThePublishedValues) {
  const Json& v = fixture("vectors.json")["align_uniform"];
  std::vector<float> x = matrix(v["x"]), y = matrix(v["y"]);
  EXPECT_NEAR(alignment(x.data(), y.data(), 3, 4), v["alignment"].get<double>(), 1e-7);
  EXPECT_NEAR(uniformity(x.data(), 3, 4), v["uniformity_x_only"].get<double>(), 1e-6);
  for (float& value : x) value *= 100;  // normalised inside
  EXPECT_NEAR(uniformity(x.data(), 3, 4), v["uniformity_x_only"].get<double>(), 1e-6);
  x.insert(x.end(), y.begin(), y.end());
  EXPECT_NEAR(uniformity(x.data(), 6, 4), v["uniformity_x_and_y"].get<double>(), 1e-6);
  const std::vector<float> orthogonal = matrix(v["orthogonal_pair"]["points"]);
  EXPECT_NEAR(uniformity(orthogonal.data(), 2, 2), -4, 1e-12);
}

TEST(Geometry, BlocksEqualAPlainLoopForEveryThreadCount) {
  const int64_t n = 333, d = 7;
  const std::vector<float> x = random_points(n, d);
  double sum = 0, cosines = 0;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = i + 1; j < n; ++j) {
      double xy = 0, xx = 0, yy = 0;
      for (int64_t k = 0; k < d; ++k) {
        const double a = x[i * d + k], b = x[j * d + k];
        xy += a * b, xx += a * a, yy += b * b;
      }
      const double cosine = xy / std::sqrt(xx * yy);
      cosines += cosine;
      sum += std::exp(-2 * (2 - 2 * cosine));
    }
  }
  const double pairs = n * (n - 1) / 2.0;
  const double found = uniformity(x.data(), n, d);
  EXPECT_NEAR(found, std::log(sum / pairs), 1e-12);
  EXPECT_NEAR(mean_cosine(x.data(), n, d), cosines / pairs, 1e-12);
  for (int threads : {1, 3}) {
    runtime::set_threads(threads);
    EXPECT_EQ(uniformity(x.data(), n, d), found);
  }
}

TEST(Geometry, ExtremesStayFinite) {
  std::vector<float> same(30 * 4, 0.3f);
  EXPECT_NEAR(uniformity(same.data(), 30, 4), 0, 1e-12);
  EXPECT_NEAR(mean_cosine(same.data(), 30, 4), 1, 1e-12);
  EXPECT_NEAR(alignment(same.data(), same.data(), 30, 4), 0, 1e-12);
  const std::vector<float> opposite = {1, 0, -1, 0};
  EXPECT_NEAR(uniformity(opposite.data(), 2, 2, 1e6), -4e6, 1e-3);  // exp of it would be 0
  const std::vector<float> zeros(8, 0.0f);
  EXPECT_EQ(uniformity(zeros.data(), 2, 4), 0);
  EXPECT_TRUE(std::isnan(uniformity(zeros.data(), 1, 4)));
  EXPECT_TRUE(std::isnan(alignment(zeros.data(), zeros.data(), 0, 4)));
  EXPECT_TRUE(std::isnan(mean_cosine(zeros.data(), 1, 4)));
}

TEST(Geometry, AVectorThatIsNotFiniteIsNeverLeftOut) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const int64_t row : {0, 70, 199}) {  // of the first, a middle and the last block
      std::vector<float> x = random_points(200, 3);
      x[static_cast<size_t>(row) * 3] = bad;
      EXPECT_TRUE(std::isnan(uniformity(x.data(), 200, 3))) << bad << " in row " << row;
      EXPECT_TRUE(std::isnan(mean_cosine(x.data(), 200, 3)));
      EXPECT_TRUE(std::isnan(alignment(x.data(), x.data(), 200, 3)));
    }
  }
}

TEST(Geometry, CanBeCancelled) {
  const std::vector<float> x = random_points(300, 3);
  Cancel cancel;
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled", [&] { uniformity(x.data(), 300, 3, 2, &cancel); });
}

}  // namespace
}  // namespace contrastive::eval
