#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/eval/evaluate.h"
#include "core/torch/tasks/transfer/sts_supervised.h"
#include "tests/core/eval/files.h"
#include "tests/core/eval/tasks.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

TEST(SupervisedSts, TaskReadsAFolderAndReports) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 12; ++i)
    text += cat(i % 6, "\tthe cat sat ", i, "\tthe cat sat ", i + i % 6, "\n");
  for (const char* name : {"train.tsv", "dev.tsv", "test.tsv"}) folder.write(name, text);
  Config config;
  config.set("data", folder.path());
  config.set("epoch_size", "5");
  config.set("seeds", "1,2");
  const Json report = evaluate(encoder(), "sts-supervised", config, nullptr);
  for (const char* key : {"pearson", "spearman", "mse", "dev_pearson"}) {
    EXPECT_TRUE(report[key].is_number()) << key;
    EXPECT_TRUE(report[std::string(key) + "_std"].is_number()) << key;
  }
  EXPECT_EQ(report["pairs"], 12);
  EXPECT_EQ(report["runs"], 2);
  folder.write("dev.tsv", "6\ta\tb\n");
  expect_error(Status::kFormat, "dev: scored pair 1: score 6 is not between 0 and 5",
               [&] { evaluate(encoder(), "sts-supervised", config, nullptr); });
  folder.write("dev.tsv", text);
  std::filesystem::remove(folder.path() + "/test.tsv");
  expect_error(Status::kNotFound, "has no split 'test'",
               [&] { evaluate(encoder(), "sts-supervised", config, nullptr); });
}

TEST(SupervisedSts, PublishedFilesAreTakenAsTheyAre) {
  const auto run = [&](const std::string& data) {
    Config config = Config::parse(R"({"epoch_size": 2, "max_epoch": 2})");
    config.set("data", data);
    return evaluate(encoder(), "sts-supervised", config, nullptr);
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
  expect_error(Status::kArgument, "has no splits train, dev and test",
               [&] { run(plain.write("all.tsv", lines)); });
}

}  // namespace
}  // namespace contrastive::eval
