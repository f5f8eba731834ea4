#include "core/torch/run/group_trainer.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "core/torch/run/kept_checkpoints.h"
#include "tests/core/torch/run/toy.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::run {
namespace {

Config on_ranks(int ranks, const Config& config) {
  if (ranks == 0) return config;
  Config all = config;
  Json devices = Json::array();
  for (int rank = 0; rank < ranks; ++rank) devices.push_back(test_device());
  all.set("dist.mode", "threads");
  all.set_json("dist.devices", devices);
  all.set_json("dist.timeout", 60);
  return all;
}

std::unique_ptr<training::Trainer> toy_group(int ranks, const std::string& more,
                                             std::shared_ptr<data::Dataset> data = toy_pairs(50),
                                             const std::string& method = "clsr") {
  return make_trainer(tiny_model(), std::move(data), on_ranks(ranks, toy_config(more, method)));
}

int steps_of(training::Trainer& trainer) {
  int steps = 0;
  while (trainer.step() == Status::kOk) ++steps;
  return steps;
}

std::string dev_file(const TemporaryFolder& folder) {
  std::string lines;
  const auto pairs = toy_pairs(12);
  for (int64_t i = 0; i < 12; ++i)
    lines += cat(i % 6, "\t", pairs->get(i).a, "\t", pairs->get((i * (i % 6)) % 12).b, "\n");
  return folder.write("dev.tsv", lines);
}

int lines_in(const std::string& path) {
  std::ifstream file(path);
  int lines = 0;
  for (std::string line; std::getline(file, line);) ++lines;
  return lines;
}

TEST(GroupTrainer, EvaluatesStopsAndKeepsTheBestLikeOneProcess) {
  const TemporaryFolder folder;
  const std::string keys =
      cat(R"({"max_steps": 8, "eval_every": 2, "patience": 2, "lr": 0.05, "dev": ")",
          dev_file(folder), "\"}");
  const auto one = toy_group(0, keys);
  const int steps = steps_of(*one);
  for (const int ranks : {1, 2, 3}) {
    const auto group = toy_group(ranks, keys);
    EXPECT_EQ(steps_of(*group), steps);
    for (const char* name : {"dev", "best_dev", "best_step", "loss", "step"})
      EXPECT_NEAR(group->metric(name), one->metric(name), 1e-4) << name;
    EXPECT_EQ(group->metric("ranks"), ranks);
    EXPECT_EQ(group->metric("rank"), 0);
    group->evaluate();
    EXPECT_FALSE(group->resolved_config().has("dist.mode"))
        << "the saved run does not contain how it is shared";
  }
}

TEST(GroupTrainer, RankZeroAloneWritesRecordsAndCheckpoints) {
  const TemporaryFolder folder;
  const auto data = toy_pairs(50);
  const std::string keys =
      cat(R"({"max_steps": 6, "save_every": 2, "keep": 0, "checkpoints": ")", folder / "kept",
          R"(", "metrics_file": ")", folder / "metrics.jsonl", "\"}");
  const auto group = toy_group(3, keys, data);
  EXPECT_EQ(steps_of(*group), 6);
  EXPECT_EQ(lines_in(folder / "metrics.jsonl"), 6);
  int checkpoints = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "kept"))
    checkpoints += entry.path().filename().string().rfind("step-", 0) == 0;
  EXPECT_EQ(checkpoints, 3);
  // Another number of ranks resumes from there, with the same result.
  for (const int ranks : {0, 2}) {
    const auto second = resume_trainer(checkpoint_path(folder / "kept", 2), tiny_model(), data,
                                       on_ranks(ranks, Config()));
    EXPECT_EQ(steps_of(*second), 4);
    EXPECT_NEAR(second->metric("loss"), group->metric("loss"), 1e-5);
  }
}

TEST(GroupTrainer, ARunInStagesGoesOnTogether) {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 24; ++i) lines += cat("a", i, " of b\n");
  const std::string texts = folder.write("texts.txt", lines);
  const auto labelled = data::make_dataset();
  for (int64_t i = 0; i < 24; ++i) {
    data::Example example = toy_pairs(24)->get(i);
    example.label = static_cast<double>(i % 3);
    labelled->add(example);
  }
  const std::string keys = cat(R"({"consert.mode": "sup-unsup", "max_steps": 2, "dev": ")",
                               dev_file(folder), R"(", "stage2.dataset": ")", texts, "\"}");
  const auto one = toy_group(0, keys, labelled, "consert"),
             group = toy_group(2, keys, labelled, "consert");
  EXPECT_EQ(steps_of(*one), 4);
  EXPECT_EQ(steps_of(*group), 4);
  EXPECT_EQ(group->metric("stage"), 2);
  EXPECT_NEAR(group->metric("loss"), one->metric("loss"), 1e-3 * std::abs(one->metric("loss")));
}

TEST(GroupTrainer, ABatchOfTheCallersIsSharedToo) {
  const auto data = toy_pairs(7);
  std::vector<data::Example> batch;
  for (int64_t i = 0; i < 7; ++i) batch.push_back(data->get(i));
  const auto one = toy_group(0, "{}"), group = toy_group(3, "{}");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(one->step_batch(batch), Status::kOk);
    EXPECT_EQ(group->step_batch(batch), Status::kOk);
    EXPECT_NEAR(group->metric("loss"), one->metric("loss"), 1e-5);
  }
}

TEST(GroupTrainer, ABatchThatIsRefusedEndsNoRun) {
  const auto data = toy_pairs(4);
  const auto group = toy_group(2, "{}");
  expect_error(Status::kArgument, "a batch without examples", [&] { group->step_batch({}); });
  expect_error(Status::kArgument, "a batch of one example",
               [&] { group->step_batch({data->get(0)}); });
  EXPECT_EQ(group->step_batch({data->get(0), data->get(1), data->get(2)}), Status::kOk);
}

TEST(GroupTrainer, ACancelStopsAllAtTheSameUpdateAndTheRunGoesOn) {
  const auto group = toy_group(2, "{}");
  EXPECT_EQ(group->step(), Status::kOk);
  Cancel cancel;
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled", [&] { group->step(&cancel); });
  EXPECT_EQ(group->metric("step"), 1);
  EXPECT_EQ(group->step(), Status::kOk);
  EXPECT_EQ(group->metric("step"), 2);
}

TEST(GroupTrainer, WhatOneProcessRefusesIsRefusedOnce) {
  expect_error(Status::kArgument, "config key 'lr'", [&] { toy_group(2, R"({"lr": -1})"); });
}

}  // namespace
}  // namespace contrastive::run
