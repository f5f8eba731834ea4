// The tasks sts, sts-layers and sts-tokens on a small random encoder: equal to transformers
// (tests/golden/eval/sts.py), and to one another.
#include "core/eval/sts/sts_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/eval/files.h"
#include "tests/expect_error.h"
#include "tests/test_device.h"
#include "tests/fixtures_folder.h"

namespace contrastive::eval {
namespace {

class StsStudy : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const Json& pair : golden_["pairs"]) {
      bytes_ += pair[0].dump() + "\t" + pair[1].get<std::string>() + "\t" +
                pair[2].get<std::string>() + "\n";
    }
    data_ = folder_.write("pairs.tsv", bytes_);
  }
  Json run(const std::string& task,
           std::initializer_list<std::pair<std::string, std::string>> entries = {}) const {
    Config config;
    config.set("data", data_);
    for (const auto& [key, value] : entries) config.set(key, value);
    return evaluate(*model_, task, config, nullptr);
  }
  static void expect_near(const Json& got, const Json& expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i].is_null(), expected[i].is_null()) << i;
      if (got[i].is_null()) continue;
      EXPECT_NEAR(got[i].get<double>(), expected[i].get<double>(), 1e-5) << i;
    }
  }

  const Json& golden_ = fixture("sts_golden.json")["study"];
  std::shared_ptr<model::SentenceEncoder> model_ =
      model::SentenceEncoder::load(fixtures() + "/models/bert_st", on_test_device());
  const TemporaryFolder folder_;
  std::string bytes_, data_;
};

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
