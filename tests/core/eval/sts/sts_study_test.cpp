// Suites of data sets under sts, sts-layers and sts-tokens.
#include "core/eval/sts/sts_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/eval/files.h"
#include "tests/core/eval/sts/study_tests.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

TEST_F(StsStudy, SuitesHaveTheirAverageAndTheirSets) {
  std::filesystem::create_directory(folder_.path() + "/suite");
  for (const char* set : {"one", "two"}) {
    std::filesystem::create_directory(folder_.path() + "/suite/" + set);
    folder_.write(std::string("suite/") + set + "/a.tsv", bytes_);
  }
  folder_.write("suite/two/b.tsv", "5\tcat\tcat\n1\tcat\tdog\n0\tbird\thouse\n");
  const std::string suite = folder_.path() + "/suite";
  const Json sts = run("sts", {{"data", suite}, {"aggregate", "mean"}});
  EXPECT_EQ(sts["headline"]["spearman.mean"], sts["spearman"]["mean"]);
  EXPECT_NEAR(sts["spearman"]["all"].get<double>(),
              (sts["sets"]["one"]["spearman"]["all"].get<double>() +
               sts["sets"]["two"]["spearman"]["all"].get<double>()) /
                  2,
              1e-12);
  EXPECT_EQ(sts["sets"]["two"]["subsets"].size(), 2u);
  const Json one = sts["sets"]["one"], file = run("sts");
  EXPECT_EQ(one["spearman"], file["spearman"]);
  EXPECT_NEAR(one["pearson"]["all"].get<double>(), file["pearson"]["all"].get<double>(), 1e-6)
      << "in batches of other texts";
  const Json layers = run("sts-layers", {{"data", suite}, {"aggregate", "mean"}});
  const Json alone = run("sts", {{"data", suite}, {"encode.pooling", "layer:1:mean"}});
  EXPECT_EQ(layers["spearman"]["mean"][1], alone["spearman"]["mean"]);
  EXPECT_EQ(layers["sets"]["two"]["mean"][1], alone["sets"]["two"]["spearman"]["mean"]);
  EXPECT_EQ(run("sts-tokens", {{"data", suite}, {"most", "2"}})["sets"]["one"].size(), 3u);
}

TEST_F(StsStudy, RefusesWhatItCannotScan) {
  expect_error(Status::kArgument, "'mean'",
               [&] { run("sts-layers", {{"poolings", "[\"meen\"]"}}); });
  expect_error(Status::kArgument, "encode.pooling is set: this task takes every layer",
               [&] { run("sts-layers", {{"encode.pooling", "mean"}}); });
  expect_error(Status::kArgument, "config key 'step' must be a whole number from 1",
               [&] { run("sts-tokens", {{"step", "0"}}); });
  expect_error(Status::kArgument, "config key 'split': unknown value 'tests'",
               [&] { run("sts", {{"split", "tests"}}); });
}

}  // namespace
}  // namespace contrastive::eval
