#include "core/torch/tasks/transfer/sts_supervised.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/log.h"
#include "core/base/rng.h"
#include "tests/core/eval/files.h"
#include "tests/expect_error.h"
#include "tests/test_device.h"
#include "tests/fixtures_folder.h"

namespace contrastive::eval {
namespace {

using ::testing::HasSubstr;

TEST(SupervisedSts, ScoresAreSplitBetweenWholeNumbers) {
  EXPECT_EQ(score_distribution(1), (std::vector<float>{1, 0, 0, 0, 0}));
  EXPECT_EQ(score_distribution(5), (std::vector<float>{0, 0, 0, 0, 1}));
  EXPECT_EQ(score_distribution(3.25), (std::vector<float>{0, 0, 0.75f, 0.25f, 0}));
  EXPECT_EQ(score_distribution(0.25), (std::vector<float>{0.25f, 0, 0, 0, 0}))
      << "as in SentEval: the weight for score 0 is lost";
  EXPECT_EQ(score_distribution(0), (std::vector<float>(5)));
  for (const Json& target : fixture("vectors.json")["metrics"]["senteval_relatedness_target"]) {
    const std::vector<float> p = score_distribution(target["y"].get<double>());
    for (size_t c = 0; c < 5; ++c) EXPECT_NEAR(p[c], target["p"][c].get<double>(), 1e-6) << target;
  }
  for (double score = 1; score <= 5; score += 0.1) {
    const std::vector<float> p = score_distribution(score);
    double expectation = 0;
    for (size_t c = 0; c < 5; ++c)
      expectation += static_cast<double>(c + 1) * static_cast<double>(p[c]);
    EXPECT_NEAR(expectation, score, 1e-6);
  }
  for (const double bad : {-0.1, 5.01, std::nan("")})
    expect_error(Status::kArgument, "is not between 0 and 5", [&] { score_distribution(bad); });
}

// The score depends on the difference of the counts of "a".
StsSubset pairs(size_t count, uint64_t seed) {
  StsSubset subset;
  Rng rng(seed, Purpose::kSubset);
  for (size_t i = 0; i < count; ++i) {
    const auto differ = static_cast<size_t>(rng.below(5));
    subset.first.push_back("a" + std::string(rng.below(6), 'z'));
    subset.second.push_back(std::string(1 + differ, 'a') + std::string(rng.below(6), 'z'));
    subset.gold.push_back(5 - static_cast<double>(differ));
  }
  return subset;
}

TEST(SupervisedSts, LearnsWhatDecidesTheScore) {
  LetterEncoder letters;
  FitOptions options = supervised_sts_defaults();
  options.lr = 0.01;
  const auto results = evaluate_supervised_sts(pairs(200, 1), pairs(80, 2), pairs(100, 3),
                                               letters.encoder(), options, 0, {1, 2}, nullptr);
  ASSERT_EQ(results.size(), 2u);
  for (const SupervisedSts& result : results) {
    EXPECT_GT(result.test.pearson, 0.97);
    EXPECT_GT(result.test.spearman, 0.95);
    EXPECT_GT(result.dev_pearson, 0.97);
    EXPECT_LT(result.test_mse, 0.2);
  }
  EXPECT_NE(results[0].test.pearson, results[1].test.pearson);
  const StsSubset test = pairs(100, 3);
  const auto plain = evaluate_sts({test}, letters.encoder(), retrieval::Metric::kCosine);
  EXPECT_LT(plain.all.pearson, 0.9) << "the cosine alone must not show it";
}

TEST(SupervisedSts, AConstantDevPartNeverHasABestRound) {
  LetterEncoder letters;
  FitOptions options = supervised_sts_defaults();
  options.epoch_size = 1;
  StsSubset flat = pairs(10, 2);
  for (double& score : flat.gold) score = 3;
  std::vector<std::string> said;
  set_log_sink([&](LogLevel, const std::string& message) { said.push_back(message); },
               LogLevel::kWarning);
  const auto results = evaluate_supervised_sts(pairs(50, 1), flat, pairs(50, 3), letters.encoder(),
                                               options, 0, {1}, nullptr);
  set_log_sink({}, LogLevel::kWarning);
  EXPECT_TRUE(std::isnan(results[0].dev_pearson));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_THAT(said[0], HasSubstr("seed 1: no round of training had a correlation"));
  EXPECT_TRUE(std::isfinite(results[0].test.pearson));
}

}  // namespace
}  // namespace contrastive::eval
