// The task "glue", run as by cs_evaluate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/eval/evaluate.h"
#include "core/eval/runs.h"
#include "tests/core/torch/tasks/glue/glue_tests.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

class GlueTask : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* task : {"SST-2", "CoLA", "WNLI"})
      std::filesystem::create_directories(folder_.path() + "/" + task);
    for (const char* task : {"SST-2", "CoLA"}) {
      folder_.write(std::string(task) + "/train.tsv", cat_lines(120));
      folder_.write(std::string(task) + "/dev.tsv", cat_lines(60, 1000));
    }
    folder_.write("WNLI/train.tsv", "1\tit broke\tthe vase broke\n0\tit broke\tthe table broke\n");
    folder_.write("WNLI/dev.tsv",
                  "1\tit fell\tthe cat fell\n1\tit sat\tthe cat sat\n0\tit sat\tthe dog sat\n");
  }
  Json report(const std::string& more) const {
    Config config = Config::parse(R"({"epochs": 1, "lr": ["0.003"], "batch_size": ["16"]})");
    config.set_json("data", folder_.path());
    config.merge(Config::parse(more));
    return evaluate(*glue_model(), "glue", config, nullptr);
  }
  TemporaryFolder folder_;
};

TEST_F(GlueTask, AveragesTheTasksButNotWnli) {
  const Json json = report(R"({"tasks": ["SST-2", "CoLA", "WNLI"], "seeds": ["1", "2"]})");
  const Json& tasks = json["tasks"];
  ASSERT_EQ(tasks.size(), 3u);
  EXPECT_EQ(json["averaged"], 2);
  EXPECT_NEAR(json["average"].get<double>(),
              (tasks["SST-2"]["score"].get<double>() + tasks["CoLA"]["score"].get<double>()) / 2,
              1e-12);
  EXPECT_TRUE(tasks["SST-2"]["accuracy"].is_number());
  EXPECT_TRUE(tasks["CoLA"]["matthews"].is_number());
  EXPECT_EQ(tasks["SST-2"]["runs"].size(), 2u);
  EXPECT_TRUE(tasks["SST-2"]["std"]["accuracy"].is_number());
  EXPECT_EQ(tasks["SST-2"]["examples"], (Json{{"train", 120}, {"select", 60}, {"reported", 60}}));
  EXPECT_EQ(report(R"({"tasks": ["SST-2", "CoLA", "WNLI"], "seeds": ["1", "2"]})"), json)
      << "the same seeds, the same report";
}

TEST_F(GlueTask, TheAverageHasADeviationOverSeeds) {
  const std::string learns =
      R"("tasks": ["SST-2", "CoLA"], "epochs": 2, "optimizer": "adamw", "clip_norm": 1)";
  const Json json = report("{" + learns + R"(, "seeds": ["1", "2", "3"]})");
  std::vector<double> by_seed;
  for (size_t i = 0; i < 3; ++i) {
    const auto score = [&](const char* task) {
      return json["tasks"][task]["runs"][i]["score"].get<double>();
    };
    by_seed.push_back((score("SST-2") + score("CoLA")) / 2);
  }
  const MeanAndStd expected = mean_and_std(by_seed);
  EXPECT_GT(expected.std, 0);
  EXPECT_NEAR(json["average"].get<double>(), expected.mean, 1e-12);
  EXPECT_NEAR(json["average_std"].get<double>(), expected.std, 1e-12);
  EXPECT_FALSE(report("{" + learns + "}").contains("average_std")) << "of one seed";
}

TEST_F(GlueTask, WnliAloneHasNoAverage) {
  const Json json = report(R"({"tasks": ["WNLI"]})");
  EXPECT_TRUE(json["average"].is_null());
  EXPECT_TRUE(json["tasks"]["WNLI"]["accuracy"].is_number());
}

TEST_F(GlueTask, SearchesAGrid) {
  const Json all = report(
      R"({"tasks": ["SST-2"], "lr": ["1e-9", "0.003"], "batch_size": ["8", "16"], "epochs": 6, "optimizer": "adamw",
                              "clip_norm": 1})");
  const Json& sst = all["tasks"]["SST-2"];
  ASSERT_EQ(sst["grid"].size(), 4u);
  double best = 0;
  for (const Json& cell : sst["grid"]) best = std::max(best, cell["select"].get<double>());
  EXPECT_EQ(sst["runs"][0]["select"].get<double>(), best);
  EXPECT_EQ(sst["lr"], 0.003) << "a learning rate of 1e-9 learns nothing";
}

TEST_F(GlueTask, SaysWhatIsWrongBeforeTheFirstUpdate) {
  expect_error(Status::kNotFound, "RTE", [&] { report(R"({"tasks": ["SST-2", "RTE"]})"); });
  expect_error(Status::kArgument, "'SST-2'", [&] { report(R"({"tasks": ["SST2"]})"); });
  expect_error(Status::kArgument, "twice", [&] { report(R"({"tasks": ["WNLI", "WNLI"]})"); });
  expect_error(Status::kArgument, "'tasks'", [&] { report(R"({"tasks": []})"); });
  expect_error(Status::kArgument, "learning_rate", [&] { report(R"({"learning_rate": 1})"); });
  expect_error(Status::kArgument, "data is not set", [&] { report(R"({"data": ""})"); });
}

}  // namespace
}  // namespace contrastive::eval
