#include "core/retrieval/similarity.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "core/base/json.h"
#include "core/base/log.h"
#include "core/runtime/threads.h"
#include "tests/core/retrieval/vectors.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::retrieval {
namespace {

std::vector<float> scores_of(const std::vector<float>& a, const std::vector<float>& b, int64_t d,
                             Metric metric) {
  const int64_t n_a = static_cast<int64_t>(a.size()) / d, n_b = static_cast<int64_t>(b.size()) / d;
  std::vector<float> scores(n_a * n_b, std::nanf(""));
  similarity(a.data(), n_a, b.data(), n_b, d, metric, scores.data());
  return scores;
}

TEST(Similarity, EqualsTheDefinitionForEveryShape) {
  for (int64_t d : {1, 3, 16, 384}) {
    for (auto [n_a, n_b] :
         {std::pair<int64_t, int64_t>(1, 1), {5, 1}, {1, 40}, {33, 15}, {70, 61}, {500, 13}}) {
      const std::vector<float> a = random_vectors(n_a, d, 1), b = random_vectors(n_b, d, 2);
      for (Metric metric : kAllMetrics) {
        const std::vector<float> scores = scores_of(a, b, d, metric);
        for (int64_t i = 0; i < n_a; ++i) {
          for (int64_t j = 0; j < n_b; ++j) {
            const double expected = reference(&a[i * d], &b[j * d], d, metric);
            ASSERT_NEAR(scores[i * n_b + j], expected,
                        2e-6 * std::max(1.0, std::sqrt(d) + std::abs(expected)))
                << d << " " << i << " " << j;
          }
        }
      }
    }
  }
}

TEST(Similarity, EqualsSentenceTransformers) {
  const Json golden = read_json_file(fixtures() + "/eval_golden.json")["similarity"];
  const auto a = golden["a"].get<std::vector<float>>(), b = golden["b"].get<std::vector<float>>();
  for (const auto& [name, metric] : metric_names()) {
    const auto expected = golden[name].get<std::vector<float>>();
    const std::vector<float> scores = scores_of(a, b, golden["dimension"], metric);
    ASSERT_EQ(scores.size(), expected.size());
    for (size_t i = 0; i < scores.size(); ++i)
      EXPECT_NEAR(scores[i], expected[i], 1e-6 * (1 + std::abs(expected[i]))) << name;
  }
}

TEST(Similarity, DistancesAreNegativeAndZeroForEqualVectors) {
  const std::vector<float> a = {3, 0, 0, 0}, b = {0, 4, 0, 0};
  EXPECT_EQ(scores_of(a, b, 4, Metric::kEuclidean)[0], -5.0f);
  EXPECT_EQ(scores_of(a, b, 4, Metric::kManhattan)[0], -7.0f);
  for (Metric metric : {Metric::kEuclidean, Metric::kManhattan})
    EXPECT_EQ(scores_of(a, a, 4, metric)[0], 0.0f);
}

TEST(Similarity, AScoreDependsOnItsTwoVectorsOnly) {
  const int64_t d = 96, n_a = 77, n_b = 4099;
  const std::vector<float> a = random_vectors(n_a, d, 3), b = random_vectors(n_b, d, 4);
  for (Metric metric : kAllMetrics) {
    const std::vector<float> all = scores_of(a, b, d, metric);
    runtime::set_threads(1);
    EXPECT_EQ(all, scores_of(a, b, d, metric)) << "one thread";
    runtime::set_threads(3);
    EXPECT_EQ(all, scores_of(a, b, d, metric)) << "three threads";
    for (int64_t i : {0, 31, 32, 64, 76}) {
      const std::vector<float> alone(&a[i * d], &a[i * d] + d);
      EXPECT_EQ(std::vector<float>(&all[i * n_b], &all[i * n_b] + n_b),
                scores_of(alone, b, d, metric))
          << "query " << i << " alone";
    }
  }
}

TEST(Similarity, ZeroVectorsHaveCosineZero) {
  const std::vector<float> a = {0, 0, 0, 1, 2, 3}, b = {0, 0, 0, 1e38f, -1e38f, 1e38f};
  EXPECT_EQ(scores_of(a, b, 3, Metric::kCosine),
            (std::vector<float>{0, 0, 0, scores_of({1, 2, 3}, {1, -1, 1}, 3, Metric::kCosine)[0]}));
}

TEST(Similarity, ZeroVectorsAreCounted) {
  std::string said;
  set_log_sink([&](LogLevel, const std::string& message) { said = message; }, LogLevel::kWarning);
  const std::vector<float> a = {0, 0, 0, 1, 2, 3}, b = {0, 0, 1, 0, 0, 0, 0, 0, 0};
  scores_of(a, b, 3, Metric::kDot);
  EXPECT_EQ(said, "");
  scores_of(a, b, 3, Metric::kCosine);
  set_log_sink({}, LogLevel::kWarning);
  EXPECT_NE(said.find("3 of 5 vectors are zero"), std::string::npos) << said;
}

TEST(Similarity, ExtremeFiniteValuesGiveTheRightNumbers) {
  const int64_t d = 5;
  const std::vector<float> plain = random_vectors(9, d, 5), other = random_vectors(7, d, 6);
  for (Metric metric : kAllMetrics) {
    for (float scale : {3e30f, 1e25f, 1e-25f, 1e-36f, 1e-42f}) {
      std::vector<float> a = plain, b = other;
      for (float& x : a) x *= scale;
      for (float& x : b) x *= scale;
      const std::vector<float> scores = scores_of(a, b, d, metric);
      for (int64_t i = 0; i < 9 * 7; ++i) {
        const double expected = reference(&a[i / 7 * d], &b[i % 7 * d], d, metric);
        const double limit = std::numeric_limits<float>::max();
        const double least = metric == Metric::kCosine ? 1.0 : 1e-38;
        const double tolerance = metric == Metric::kDot
                                     ? 1e-5 * std::abs(expected) + 1e-37
                                     : 2e-6 * std::max(std::abs(expected), least);
        EXPECT_NEAR(scores[i], std::clamp(expected, -limit, limit), tolerance)
            << "scale " << scale << " metric " << static_cast<int>(metric);
      }
    }
  }
}

TEST(Similarity, OpposedOverflowsDoNotBecomeNaN) {
  const std::vector<float> a = {1e30f, 1e30f, 2}, b = {1e30f, -1e30f, 3};
  EXPECT_EQ(scores_of(a, b, 3, Metric::kDot)[0], 6.0f);
  const std::vector<float> c = {1e30f, 1e30f, 1e30f};
  EXPECT_EQ(scores_of(c, c, 3, Metric::kDot)[0], std::numeric_limits<float>::max());
}

// A non-finite value on either side, at any position, also with a zero vector, in tiles and strips.
TEST(Similarity, NotANumberIsAnError) {
  const int64_t d = 20;
  for (const Metric metric : kAllMetrics) {
    for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity()}) {
      for (const int64_t n : {1, 60}) {
        std::vector<float> a = random_vectors(n, d, 9);
        a[(n - 1) * d + 7] = bad;
        const std::vector<float> zeros(70 * d), others = random_vectors(70, d, 10);
        const std::string where = cat(": vector ", n - 1, " has NaN or infinity in dimension 7");
        expect_error(Status::kNumeric, "a" + where, [&] { scores_of(a, a, d, metric); });
        for (const std::vector<float>& b : {zeros, others}) {
          expect_error(Status::kNumeric, "a" + where, [&] { scores_of(a, b, d, metric); });
          expect_error(Status::kNumeric, "b" + where, [&] { scores_of(b, a, d, metric); });
          float score;
          expect_error(Status::kNumeric, "pair 0", [&] {
            pairwise_similarity(&a[(n - 1) * d], b.data(), 1, d, metric, &score);
          });
        }
      }
    }
  }
}

TEST(Similarity, PairwiseIsTheDiagonal) {
  const int64_t n = 40, d = 48;
  const std::vector<float> a = random_vectors(n, d, 7), b = random_vectors(n, d, 8);
  for (Metric metric : kAllMetrics) {
    std::vector<float> pairs(n);
    pairwise_similarity(a.data(), b.data(), n, d, metric, pairs.data());
    const std::vector<float> all = scores_of(a, b, d, metric);
    for (int64_t i = 0; i < n; ++i)
      EXPECT_NEAR(pairs[i], all[i * n + i], 1e-6 * (10 + std::abs(pairs[i])));
    pairwise_similarity(a.data(), a.data(), n, d, metric, pairs.data());
    if (metric == Metric::kCosine) {
      for (float score : pairs) EXPECT_EQ(score, 1.0f);
    }
  }
}

TEST(Similarity, EmptyAndBadArguments) {
  float x = 1, score = 7;
  similarity(nullptr, 0, &x, 1, 1, Metric::kDot, &score);
  similarity(&x, 1, nullptr, 0, 1, Metric::kDot, nullptr);
  EXPECT_EQ(score, 7);
  expect_error(Status::kArgument, "vectors are NULL",
               [&] { similarity(nullptr, 1, &x, 1, 1, Metric::kDot, &score); });
  expect_error(Status::kArgument, "scores is NULL",
               [&] { similarity(&x, 1, &x, 1, 1, Metric::kDot, nullptr); });
  expect_error(Status::kArgument, "similarity of -1 with 1 vectors",
               [&] { similarity(&x, -1, &x, 1, 1, Metric::kDot, &score); });
  expect_error(Status::kArgument, "dimension is 0: at least 1 is needed",
               [&] { similarity(&x, 1, &x, 1, 0, Metric::kDot, &score); });
  expect_error(Status::kLimit, "vectors overflows: 4611686018427387904 x 8",
               [&] { similarity(&x, int64_t{1} << 62, &x, 1, 8, Metric::kDot, &score); });
  expect_error(Status::kLimit, "scores overflows: 1099511627776 x 1099511627776", [&] {
    similarity(&x, int64_t{1} << 40, &x, int64_t{1} << 40, 1, Metric::kDot, &score);
  });
}

}  // namespace
}  // namespace contrastive::retrieval
