#include "core/torch/tasks/glue/glue_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

GlueOptions read(const std::string& json, const std::string& task = "") {
  return read_glue_options(Config::parse(json), task);
}

TEST(GlueOptions, FairseqsTable) {
  struct Row {
    const char* task;
    double lr;
    int64_t batch, updates, warmup;
  };
  for (const Row& row : {Row{"MNLI", 1e-5, 32, 123873, 7432}, Row{"QNLI", 1e-5, 32, 33112, 1986},
                         Row{"QQP", 1e-5, 32, 113272, 28318}, Row{"RTE", 2e-5, 16, 2036, 122},
                         Row{"SST-2", 1e-5, 32, 20935, 1256}, Row{"MRPC", 1e-5, 16, 2296, 137},
                         Row{"CoLA", 1e-5, 16, 5336, 320}, Row{"STS-B", 2e-5, 16, 3598, 214}}) {
    const GlueOptions options = read("{}", row.task);
    EXPECT_THAT(options.lr, ElementsAre(row.lr)) << row.task;
    EXPECT_THAT(options.batch_size, ElementsAre(row.batch)) << row.task;
    const GluePlan plan =
        plan_glue_run(options, int64_t{1} << 24, row.batch);  // more than ten epochs
    EXPECT_EQ(plan.total, row.updates) << row.task;
    EXPECT_EQ(plan.steps, row.updates) << row.task;
    EXPECT_EQ(plan.warmup, row.warmup) << row.task;
    EXPECT_EQ(options.epochs, 10);
    EXPECT_EQ(options.tuning.weight_decay, 0.1);
    EXPECT_EQ(options.tuning.adam.betas[1], 0.98);
    EXPECT_EQ(options.tuning.adam.eps, 1e-6);
    EXPECT_EQ(options.tuning.clip_norm, 0);
    EXPECT_EQ(options.tuning.schedule, optim::Schedule::kFairseqLinear);
    EXPECT_EQ(options.tuning.classifier.dropout, 0.1);
  }
  EXPECT_THAT(read("{}").tasks, SizeIs(8));
}

TEST(GlueOptions, ARunEndsWithItsEpochsOrUpdates) {
  const GlueOptions rte = read("{}", "RTE");
  EXPECT_EQ(plan_glue_run(rte, 160, 16).steps, 100);  // ten epochs of ten batches
  EXPECT_EQ(plan_glue_run(rte, 160, 16).total, 2036);
  const GlueOptions short_run = read(R"({"max_steps": 40})", "RTE");
  EXPECT_EQ(plan_glue_run(short_run, 1600, 16).steps, 40);
  EXPECT_EQ(plan_glue_run(short_run, 1600, 16).total, 40);
  EXPECT_EQ(plan_glue_run(short_run, 1600, 16).warmup, 3);  // 6 %, rounded up
  EXPECT_EQ(plan_glue_run(read(R"({"epochs": 0, "max_steps": 999})", "RTE"), 16, 16).steps, 999);
}

TEST(GlueOptions, PublishedUpdatesGiveWayToTheUsersLength) {
  const GlueOptions epochs = read(R"({"epochs": 2})", "RTE");
  EXPECT_EQ(plan_glue_run(epochs, 161, 16).total, 22);
  EXPECT_EQ(plan_glue_run(epochs, 161, 16).warmup, 2);
  EXPECT_EQ(plan_glue_run(read(R"({"batch_size": [32]})", "RTE"), 320, 32).total, 100);
  EXPECT_EQ(plan_glue_run(read(R"({"epochs": 2})", "QQP"), 160, 16).warmup, 5);  // 25 %
  EXPECT_EQ(plan_glue_run(read(R"({"warmup_steps": 7})", "RTE"), 160, 16).warmup, 7);
  EXPECT_EQ(plan_glue_run(read(R"({"warmup_steps": 7})", "RTE"), 160, 16).total, 2036);
  EXPECT_EQ(plan_glue_run(read(R"({"warmup_ratio": 0.5})", "RTE"), 160, 16).warmup, 1018);
}

TEST(GlueOptions, RobertasGrid) {
  const GlueOptions options = read(R"({"preset": "roberta"})", "RTE");
  EXPECT_THAT(options.lr, ElementsAre(1e-5, 2e-5, 3e-5));
  EXPECT_THAT(options.batch_size, ElementsAre(16, 32));
  EXPECT_EQ(plan_glue_run(options, 1600, 32).total, 500);
  EXPECT_EQ(plan_glue_run(options, 1600, 32).warmup, 30);
}

TEST(GlueOptions, SgOptsSplitSeedsAndTasks) {
  const GlueOptions options = read(R"({"preset": "sg-opt", "epochs": 1})");
  EXPECT_THAT(options.tasks, ElementsAre("QNLI", "SST-2", "CoLA", "MRPC", "RTE"));
  EXPECT_THAT(options.seeds, ElementsAre(1, 2, 3, 4, 1234, 2345, 3456, 7890));
  EXPECT_EQ(options.split, GlueSplit::kSplitDev);
  EXPECT_EQ(options.select_part, 0.1);
  EXPECT_EQ(options.epochs, 1);
  EXPECT_EQ(options.tuning.clip_norm, 1);
  EXPECT_FALSE(options.tuning.decay_all);
}

TEST(GlueOptions, RefusesWhatDoesNotGoTogether) {
  expect_error(Status::kArgument, "exclude each other",
               [&] { read(R"({"warmup_steps": 7, "warmup_ratio": 0.1})", "RTE"); });
  expect_error(Status::kArgument, "split-dev", [&] { read(R"({"select_part": 0.2})", "RTE"); });
  expect_error(Status::kArgument, "'epochs'",
               [&] { read(R"({"epochs": 0, "max_steps": 0})", "RTE"); });
  expect_error(Status::kArgument, "'lr'", [&] { read(R"({"lr": ["0"]})", "RTE"); });
  expect_error(Status::kArgument, "'batch_size'", [&] { read(R"({"batch_size": [0]})", "RTE"); });
  expect_error(Status::kArgument, "'seeds'", [&] { read(R"({"seeds": []})", "RTE"); });
  expect_error(Status::kArgument, "'preset'", [&] { read(R"({"preset": "bert"})", "RTE"); });
  expect_error(Status::kArgument, "'head_dropout'", [&] { read(R"({"head_dropout": 1})", "RTE"); });
}

}  // namespace
}  // namespace contrastive::eval
