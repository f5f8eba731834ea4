// Against scikit-learn on scores with ties (tests/golden/eval/retrieval.py) and hand-computed
// values.
#include "core/eval/retrieval/binary_metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

TEST(BinaryMetrics, EqualScikitLearnWithTies) {
  for (const Json& one : fixture("eval_retrieval.json")["scores"]) {
    std::vector<Scored> scored;
    int64_t positives = 0;
    for (size_t i = 0; i < one["scores"].size(); ++i) {
      scored.push_back({one["scores"][i].get<double>(), one["labels"][i] == 1});
      positives += one["labels"][i].get<int64_t>();
    }
    const BestF1 f1 = best_f1(scored, positives);
    EXPECT_NEAR(f1.average_precision, one["average_precision"].get<double>(), 1e-12);
    EXPECT_NEAR(f1.f1, one["f1"].get<double>(), 1e-12);
    EXPECT_NEAR(best_accuracy(scored).accuracy, one["accuracy"].get<double>(), 1e-12);
    EXPECT_NEAR(matthews_at(scored, one["matthews_at"].get<double>()),
                one["matthews"].get<double>(), 1e-12);
  }
}

TEST(BinaryMetrics, ThresholdsDoWhatTheySay) {
  const std::vector<Scored> scored = {
      {0.9, true}, {0.8, true}, {0.5, false}, {0.4, true}, {0.1, false}};
  const BestF1 f1 = best_f1(scored, 3);  // 3 of the first 4: precision 3/4, recall 1
  EXPECT_NEAR(f1.f1, 6.0 / 7, 1e-12);
  EXPECT_EQ(f1.precision, 0.75);
  EXPECT_EQ(f1.recall, 1);
  EXPECT_NEAR(f1.threshold, 0.25, 1e-12);
  EXPECT_NEAR(f1.average_precision, (1 + 1 + 0.75) / 3, 1e-12);
  const BestAccuracy accuracy =
      best_accuracy(scored);  // 4 of 5 right at 0.65 and at 0.25: the higher threshold
  EXPECT_EQ(accuracy.accuracy, 0.8);
  EXPECT_NEAR(accuracy.threshold, 0.65, 1e-12);
}

TEST(BinaryMetrics, PositivesThatWereNeverScoredAreMissed) {
  const BestF1 f1 = best_f1({{3, true}, {2, false}, {1, true}}, 4);
  EXPECT_EQ(f1.recall, 0.5);
  EXPECT_NEAR(f1.average_precision, (1 + 2.0 / 3) / 4, 1e-12);
  expect_error(Status::kArgument, "1 positives in all, and 2 of them scored",
               [] { best_f1({{3, true}, {2, true}}, 1); });
  const BestF1 nothing = best_f1({}, 2);
  EXPECT_EQ(nothing.f1, 0);
  EXPECT_EQ(nothing.average_precision, 0);
  EXPECT_TRUE(std::isnan(nothing.threshold));
}

TEST(BinaryMetrics, ConstantScoresAndConstantLabels) {
  const std::vector<Scored> constant = {{0.5, true}, {0.5, false}, {0.5, true}};
  EXPECT_NEAR(best_f1(constant, 2).f1, 0.8, 1e-12);  // all or none: all
  EXPECT_EQ(best_f1(constant, 2).threshold, 0.5);
  EXPECT_NEAR(best_accuracy(constant).accuracy, 2.0 / 3, 1e-12);
  EXPECT_EQ(matthews_at(constant, 0.5), 0);
  const std::vector<Scored> negative = {{0.5, false}, {0.7, false}};
  EXPECT_EQ(best_accuracy(negative).accuracy, 1);
  EXPECT_GT(best_accuracy(negative).threshold, 0.7);
  EXPECT_TRUE(std::isnan(best_f1(negative, 0).f1));
  EXPECT_EQ(best_f1({{0.5, true}, {0.7, true}}, 2).f1, 1);
  expect_error(Status::kArgument, "no pair to be right about", [] { best_accuracy({}); });
}

TEST(BinaryMetrics, AThresholdPartsNeighbouringNumbers) {
  const double low = 1, high = std::nextafter(1.0, 2.0);
  EXPECT_EQ(best_accuracy({{low, false}, {high, true}}).threshold, high);
}

TEST(BinaryMetrics, RefusesWhatCannotBeOrdered) {
  const double bad = std::numeric_limits<double>::quiet_NaN();
  expect_error(Status::kNumeric, "the similarity of a pair is NaN or infinite",
               [&] { best_f1({{bad, true}}, 1); });
  expect_error(Status::kNumeric, "the similarity of a pair is NaN or infinite",
               [&] { best_accuracy({{1, true}, {bad, true}}); });
}

}  // namespace
}  // namespace contrastive::eval
