#include "core/model/principal_components.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "tests/expect_error.h"

namespace contrastive::model {
namespace {

// Rows with deviation 5 along (3, 4) / 5 and 1 perpendicular to it, around a mean.
Tensor slanted(int64_t n) {
  Tensor rows({n, 2});
  for (int64_t i = 0; i < n; ++i) {
    Rng rng(1, Purpose::kSubset, 0, static_cast<uint64_t>(i));
    const double along = 5 * rng.normal(), across = rng.normal();
    rows.mutable_floats()[2 * i] = static_cast<float>(100 + 0.6 * along - 0.8 * across);
    rows.mutable_floats()[2 * i + 1] = static_cast<float>(-7 + 0.8 * along + 0.6 * across);
  }
  return rows;
}

TEST(PrincipalComponents, ComeInTheOrderOfTheirVariance) {
  const int64_t n = 5000;  // more than a block
  const Tensor rows = slanted(n), scores = principal_components(rows, 2),
               one = principal_components(rows, 1);
  double sums[2] = {}, squares[2] = {}, product = 0, farthest[2] = {};
  for (int64_t i = 0; i < n; ++i) {
    for (int k = 0; k < 2; ++k) {
      const double value = scores.floats()[2 * i + k];
      sums[k] += value;
      squares[k] += value * value;
      if (std::fabs(value) > std::fabs(farthest[k])) farthest[k] = value;
    }
    product += static_cast<double>(scores.floats()[2 * i]) * scores.floats()[2 * i + 1];
    EXPECT_EQ(one.floats()[i], scores.floats()[2 * i]);
    // Directions have length 1, so distances do not change.
    const double x = rows.floats()[2 * i] - rows.floats()[0],
                 y = rows.floats()[2 * i + 1] - rows.floats()[1];
    const double u = scores.floats()[2 * i] - scores.floats()[0],
                 v = scores.floats()[2 * i + 1] - scores.floats()[1];
    EXPECT_NEAR(x * x + y * y, u * u + v * v, 1e-3 * (1 + x * x + y * y));
  }
  EXPECT_NEAR(sums[0] / n, 0, 1e-5);
  EXPECT_NEAR(sums[1] / n, 0, 1e-5);
  EXPECT_NEAR(product / n, 0, 1e-4);
  EXPECT_NEAR(squares[0] / n, 25, 2);
  EXPECT_NEAR(squares[1] / n, 1, 0.1);
  EXPECT_GT(farthest[0], 0);
  EXPECT_GT(farthest[1], 0);
}

TEST(PrincipalComponents, CanBeStopped) {
  Cancel cancel;
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled",
               [&] { principal_components(slanted(100), 2, &cancel); });
}

}  // namespace
}  // namespace contrastive::model
