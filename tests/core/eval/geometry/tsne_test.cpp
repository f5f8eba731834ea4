// Against scikit-learn's TSNE(method="exact") from the same start (tests/golden/eval/geometry.py),
// and finite differences.
#include "core/eval/geometry/tsne.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/log.h"
#include "core/base/rng.h"
#include "core/eval/geometry/joint_probabilities.h"
#include "core/runtime/threads.h"
#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

using ::testing::HasSubstr;

struct Golden {
  const Json& json = fixture("eval_geometry.json")["tsne"];
  std::vector<float> points = json["points"].get<std::vector<float>>();
  int64_t d = json["dimension"].get<int64_t>(), n = static_cast<int64_t>(points.size()) / d;
  double perplexity = json["perplexity"].get<double>();

  std::vector<double> column(const char* name, size_t which) const {
    std::vector<double> values;
    for (size_t i = which; i < json[name].size(); i += 2)
      values.push_back(json[name][i].get<double>());
    return values;
  }
};

// Ranks of the others by distance from point i, nearest first.
std::vector<int64_t> by_distance(int64_t i, int64_t n,
                                 const std::function<double(int64_t)>& distance) {
  std::vector<int64_t> order;
  for (int64_t j = 0; j < n; ++j) {
    if (j != i) order.push_back(j);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return distance(a) < distance(b); });
  return order;
}

// Venna and Kaski's trustworthiness: 1 if each point's k neighbours in the plane are its neighbours
// in space.
double trustworthiness(const std::vector<float>& points, int64_t d, const std::vector<double>& x,
                       const std::vector<double>& y, int64_t k) {
  const auto n = static_cast<int64_t>(x.size());
  double penalty = 0;
  for (int64_t i = 0; i < n; ++i) {
    const auto in_space = by_distance(i, n, [&](int64_t j) {
      double sum = 0;
      for (int64_t c = 0; c < d; ++c)
        sum += std::pow(static_cast<double>(points[i * d + c]) - points[j * d + c], 2);
      return sum;
    });
    const auto in_plane =
        by_distance(i, n, [&](int64_t j) { return std::hypot(x[i] - x[j], y[i] - y[j]); });
    for (int64_t r = 0; r < k; ++r) {
      const auto rank =
          std::find(in_space.begin(), in_space.end(), in_plane[r]) - in_space.begin() + 1;
      penalty += static_cast<double>(std::max<int64_t>(0, rank - k));
    }
  }
  const double size = static_cast<double>(n), width = static_cast<double>(k);
  return 1 - penalty * 2 / (size * width * (2 * size - 3 * width - 1));
}

TEST(Tsne, StartsWhereScikitLearnStarts) {
  const Golden golden;
  std::vector<double> x, y;
  principal_start(golden.points.data(), golden.n, golden.d, x, y);
  const std::vector<double> their_x = golden.column("start", 0),
                            their_y = golden.column("start", 1);
  for (int64_t i = 0; i < golden.n; ++i) {
    EXPECT_NEAR(x[i], their_x[i], 1e-10);
    EXPECT_NEAR(y[i], their_y[i], 1e-10);
  }
}

TEST(Tsne, TheStartIsTheSameFromEitherMatrix) {
  // 5 points of 9 dimensions, and the same with 5 copies: X X^T is smaller in the first case, X^T X
  // in the second.
  Rng rng(3, Purpose::kInitialise);
  std::vector<float> points(5 * 9);
  for (float& value : points) value = static_cast<float>(rng.normal());
  std::vector<float> copies;
  for (int i = 0; i < 5; ++i) copies.insert(copies.end(), points.begin(), points.end());
  std::vector<double> x, y, more_x, more_y;
  principal_start(points.data(), 5, 9, x, y);
  principal_start(copies.data(), 25, 9, more_x, more_y);
  for (size_t i = 0; i < 25; ++i) {
    EXPECT_NEAR(more_x[i], x[i % 5], 1e-12);
    EXPECT_NEAR(more_y[i], y[i % 5], 1e-12);
  }
}

TEST(Tsne, DivergenceAndTrustworthinessOfTheirResult) {
  const Golden golden;
  const std::vector<double> p =
      joint_probabilities(golden.points.data(), golden.n, golden.d, golden.perplexity);
  const std::vector<double> x = golden.column("result", 0), y = golden.column("result", 1);
  EXPECT_NEAR(kl_divergence(p, x, y), golden.json["kl"].get<double>(), 1e-4);
  EXPECT_NEAR(trustworthiness(golden.points, golden.d, x, y,
                              golden.json["neighbours"].get<int64_t>()),
              golden.json["trustworthiness"].get<double>(), 1e-9);
}

TEST(Tsne, TheGradientIsThatOfTheDivergence) {
  const Golden golden;
  const std::vector<double> p =
      joint_probabilities(golden.points.data(), golden.n, golden.d, golden.perplexity);
  Rng rng(5, Purpose::kInitialise);
  std::vector<double> x(golden.n), y(golden.n), dx, dy;
  for (int64_t i = 0; i < golden.n; ++i) {
    x[i] = 2 * rng.normal();
    y[i] = 2 * rng.normal();
  }
  kl_gradient(p, x, y, 1, dx, dy);
  const double step = 1e-5;
  for (int64_t i = 0; i < golden.n; i += 7) {
    for (auto [coordinates, gradient] : {std::pair{&x, &dx}, std::pair{&y, &dy}}) {
      const double kept = (*coordinates)[i];
      (*coordinates)[i] = kept + step;
      const double above = kl_divergence(p, x, y);
      (*coordinates)[i] = kept - step;
      const double below = kl_divergence(p, x, y);
      (*coordinates)[i] = kept;
      EXPECT_NEAR((*gradient)[i], (above - below) / (2 * step), 1e-8);
    }
  }
  // Exaggeration multiplies P, so the gradient is the plain one plus 11 times the attraction.
  std::vector<double> none_x, none_y, twelve_x, twelve_y;
  kl_gradient(p, x, y, 0, none_x, none_y);
  kl_gradient(p, x, y, 12, twelve_x, twelve_y);
  for (int64_t i = 0; i < golden.n; ++i)
    EXPECT_NEAR(twelve_x[i], none_x[i] + 12 * (dx[i] - none_x[i]), 1e-12);
}

TEST(Tsne, EndsWhereScikitLearnEnds) {
  const Golden golden;
  TsneOptions options;
  options.perplexity = golden.perplexity;
  const TsneResult result = tsne(golden.points.data(), golden.n, golden.d, options);
  const double theirs = golden.json["kl"].get<double>();
  EXPECT_NEAR(result.kl, theirs, 0.03 * theirs);
  const double trust = trustworthiness(golden.points, golden.d, result.x, result.y,
                                       golden.json["neighbours"].get<int64_t>());
  EXPECT_NEAR(trust, golden.json["trustworthiness"].get<double>(), 0.01);
  for (int threads : {1, 3}) {
    runtime::set_threads(threads);
    EXPECT_EQ(tsne(golden.points.data(), golden.n, golden.d, options).x, result.x);
  }
}

TEST(Tsne, LowersAPerplexityThatIsTooMuchAndSaysSo) {
  std::vector<std::string> warnings;
  set_log_sink([&](LogLevel, const std::string& message) { warnings.push_back(message); },
               LogLevel::kWarning);
  const std::vector<float> points = {0, 0, 1, 0, 0, 1, 5, 5, 6, 5, 5, 6, 9, 9};  // 7 in the plane
  TsneOptions options;
  options.iterations = 300;
  const TsneResult result = tsne(points.data(), 7, 2, options);
  EXPECT_EQ(result.perplexity, 2);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("perplexity of 30 is too much for 7 points; 2 is taken"));
  options.perplexity = 1.5;
  EXPECT_EQ(tsne(points.data(), 7, 2, options).perplexity, 1.5);
  EXPECT_EQ(warnings.size(), 1u);
  set_log_sink({}, LogLevel::kInfo);
}

TEST(Tsne, DegeneratePoints) {
  TsneOptions options;
  options.perplexity = 1;
  options.iterations = 300;
  const std::vector<float> same(6 * 3, 0.5f);
  const TsneResult point = tsne(same.data(), 6, 3, options);
  for (int64_t i = 0; i < 6; ++i) EXPECT_TRUE(point.x[i] == point.x[0] && point.y[i] == point.y[0]);
  EXPECT_NEAR(point.kl, 0, 1e-9);
  const std::vector<float> line = {1, 2, 3, 4, 5, 6, 7, 8};  // one dimension: no second component
  const TsneResult flat = tsne(line.data(), 8, 1, options);
  EXPECT_TRUE(std::isfinite(flat.kl));
  EXPECT_NE(flat.x[0], flat.x[7]);
  const std::vector<float> twins = {0, 0, 0, 0, 3, 1,
                                    3, 1, 7, 2, 8, 3};  // rows 0 and 1, 2 and 3 are equal
  const TsneResult pairs = tsne(twins.data(), 6, 2, options);
  EXPECT_EQ(pairs.x[0], pairs.x[1]);
  EXPECT_EQ(pairs.y[2], pairs.y[3]);
  EXPECT_TRUE(std::isfinite(pairs.kl));
}

TEST(Tsne, RefusesWhatItCannotDo) {
  std::vector<float> points(12, 1.0f);
  expect_error(Status::kArgument, "t-SNE of 3 points: at least 4 are needed",
               [&] { tsne(points.data(), 3, 2, {}); });
  points[5] = std::numeric_limits<float>::quiet_NaN();
  expect_error(Status::kNumeric, "the embedding of point 3 holds NaN or infinity",
               [&] { tsne(points.data(), 6, 2, {}); });
  const std::vector<float> many(kMaxTsnePoints + 1);
  expect_error(Status::kLimit, "at most 5000",
               [&] { tsne(many.data(), kMaxTsnePoints + 1, 1, {}); });
  points[5] = 2;
  Cancel cancel;
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled", [&] { tsne(points.data(), 6, 2, {}, &cancel); });
}

}  // namespace
}  // namespace contrastive::eval
