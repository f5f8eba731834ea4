#include "core/torch/tasks/transfer/sts_supervised.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/log.h"
#include "core/base/rng.h"
#include "core/eval/evaluate.h"
#include "tests/core/eval/files.h"
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
    EXPECT_EQ(error_of([&] { score_distribution(bad); }).status(), Status::kArgument);
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

TEST(SupervisedSts, TaskReadsAFolderAndReports) {
  static const auto model =
      model::SentenceEncoder::load(fixtures() + "/models/bert_st", on_test_device());
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 12; ++i)
    text += cat(i % 6, "\tthe cat sat ", i, "\tthe cat sat ", i + i % 6, "\n");
  for (const char* name : {"train.tsv", "dev.tsv", "test.tsv"}) folder.write(name, text);
  Config config;
  config.set("data", folder.path());
  config.set("epoch_size", "5");
  config.set("seeds", "1,2");
  const Json report = evaluate(*model, "sts-supervised", config, nullptr);
  for (const char* key : {"pearson", "spearman", "mse", "dev_pearson"}) {
    EXPECT_TRUE(report[key].is_number()) << key;
    EXPECT_TRUE(report[std::string(key) + "_std"].is_number()) << key;
  }
  EXPECT_EQ(report["pairs"], 12);
  EXPECT_EQ(report["runs"], 2);
  folder.write("dev.tsv", "6\ta\tb\n");
  const Error score = error_of([&] { evaluate(*model, "sts-supervised", config, nullptr); });
  EXPECT_EQ(score.status(), Status::kFormat);
  EXPECT_THAT(score.message(), HasSubstr("dev: scored pair 1: score 6 is not between 0 and 5"));
  folder.write("dev.tsv", text);
  std::filesystem::remove(folder.path() + "/test.tsv");
  EXPECT_EQ(error_of([&] { evaluate(*model, "sts-supervised", config, nullptr); }).status(),
            Status::kNotFound);
}

TEST(SupervisedSts, PublishedFilesAreTakenAsTheyAre) {
  static const auto model =
      model::SentenceEncoder::load(fixtures() + "/models/bert_st", on_test_device());
  const auto run = [&](const std::string& data) {
    Config config = Config::parse(R"({"epoch_size": 2, "max_epoch": 2})");
    config.set("data", data);
    return evaluate(*model, "sts-supervised", config, nullptr);
  };
  const TemporaryFolder sick, table, plain;
  std::string column = "split\tscore\tsentence1\tsentence2\n", lines;
  for (const auto& [name, split] : {std::pair("SICK_train.txt", "train"),
                                    {"SICK_trial.txt", "dev"},
                                    {"SICK_test_annotated.txt", "test"}}) {
    std::string file = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\n";
    for (int i = 0; i < 6; ++i) {
      file += cat(i, "\tthe cat ", i, "\tthe cat ", split, "\t", i % 5 + 1, "\n");
      column += cat(split, "\t", i % 5 + 1, "\tthe cat ", i, "\tthe cat ", split, "\n");
      lines += cat(i % 5 + 1, "\tthe cat ", i, "\tthe cat\n");
    }
    sick.write(name, file);
  }
  const Json of_folder = run(sick.path());
  EXPECT_EQ(of_folder["pairs"], 6);
  EXPECT_EQ(run(table.write("all.tsv", column)), of_folder);
  const Error whole = error_of([&] { run(plain.write("all.tsv", lines)); });
  EXPECT_EQ(whole.status(), Status::kArgument);
  EXPECT_THAT(whole.message(), HasSubstr("has no splits train, dev and test"));
}

}  // namespace
}  // namespace contrastive::eval
