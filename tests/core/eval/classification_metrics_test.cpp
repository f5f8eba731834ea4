// Against scikit-learn's values (tests/golden/eval/classification.py), and against independent
// definitions.
#include "core/eval/classification_metrics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/rng.h"
#include "core/eval/correlation.h"
#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

using Labels = std::vector<int64_t>;

TEST(ClassificationMetrics, EqualScikitLearn) {
  const Json& golden = fixture("classification_golden.json");
  ASSERT_GE(golden["cases"].size(), 6u);
  for (const Json& c : golden["cases"]) {
    const auto predicted = c["predicted"].get<Labels>(), labels = c["labels"].get<Labels>();
    EXPECT_NEAR(accuracy(predicted, labels), c["accuracy"].get<double>(), 1e-12);
    EXPECT_NEAR(matthews(predicted, labels), c["matthews"].get<double>(), 1e-12);
    for (const Json& one : c["f1"])
      EXPECT_NEAR(f1_score(predicted, labels, one["positive"]), one["value"].get<double>(), 1e-12);
  }
}

TEST(ClassificationMetrics, AreThePublishedOnes) {
  const Json& v = fixture("vectors.json")["metrics"];
  const auto predicted = v["pred"].get<Labels>(), labels = v["y"].get<Labels>();
  EXPECT_NEAR(accuracy(predicted, labels), v["accuracy"].get<double>(), 1e-12);
  EXPECT_NEAR(f1_score(predicted, labels), v["f1"].get<double>(), 1e-11);
  EXPECT_NEAR(matthews(predicted, labels), v["mcc"].get<double>(), 1e-11);
  const Json& constant = v["mcc_degenerate"];
  EXPECT_EQ(matthews(constant["pred"].get<Labels>(), constant["y"].get<Labels>()),
            constant["mcc"].get<double>());
}

TEST(ClassificationMetrics, AgreeWithOtherDefinitions) {
  Rng rng(3, Purpose::kSubset);
  for (int trial = 0; trial < 50; ++trial) {
    Labels predicted, labels;
    std::vector<double> x, y;
    double hits = 0, predicted_positive = 0, positive = 0, right = 0;
    const int64_t n = 5 + static_cast<int64_t>(rng.below(200));
    for (int64_t i = 0; i < n; ++i) {
      labels.push_back(rng.uniform() < 0.4);
      predicted.push_back(rng.uniform() < 0.7 ? labels.back() : 1 - labels.back());
      x.push_back(static_cast<double>(predicted.back()));
      y.push_back(static_cast<double>(labels.back()));
      hits += x.back() * y.back();
      predicted_positive += x.back();
      positive += y.back();
      right += x.back() == y.back() ? 1 : 0;
    }
    EXPECT_DOUBLE_EQ(accuracy(predicted, labels), right / static_cast<double>(n));
    const double precision = hits / predicted_positive, recall = hits / positive;
    if (hits > 0) {
      EXPECT_NEAR(f1_score(predicted, labels), 2 * precision * recall / (precision + recall),
                  1e-12);
    }
    // For two classes, Matthews' coefficient is Pearson's correlation of the indicators.
    const double r = pearson(x, y);
    if (!std::isnan(r)) {
      EXPECT_NEAR(matthews(predicted, labels), r, 1e-12);
    }
  }
}

TEST(ClassificationMetrics, DegenerateLists) {
  EXPECT_EQ(matthews({1, 1, 1}, {0, 1, 0}), 0);
  EXPECT_EQ(matthews({0, 1, 0}, {1, 1, 1}), 0);
  EXPECT_EQ(matthews({1, 1}, {1, 1}), 0);
  EXPECT_EQ(f1_score({0, 0}, {0, 0}), 0);
  EXPECT_EQ(f1_score({0, 0}, {0, 0}, 0), 1);
  for (const double none : {accuracy({}, {}), f1_score({}, {}), matthews({}, {})})
    EXPECT_TRUE(std::isnan(none));
  expect_error(Status::kMismatch, "1 predicted classes for 0 examples", [] { accuracy({1}, {}); });
  expect_error(Status::kMismatch, "1 predicted classes for 0 examples", [] { f1_score({1}, {}); });
  expect_error(Status::kMismatch, "1 predicted classes for 2 examples",
               [] { matthews({1}, {1, 2}); });
}

}  // namespace
}  // namespace contrastive::eval
