#include "core/adapt/adapt_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/adapt/dev_files.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "tests/core/adapt/toy.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::adapt {
namespace {

struct ToyRun {
  TemporaryFolder folder;
  std::shared_ptr<model::SentenceEncoder> model = toy_model();
  std::shared_ptr<data::Dataset> data = dataset_of(toy_pairs(64));
  Config config = Config::parse(
      R"({"method": "mnrl", "lr": 0.002, "batch_size": 16, "max_steps": 12, "eval_every": 4, "evaluate.retrieval.split": "dev",
                                    "evaluate.retrieval.k": [10], "dev_select": "retrieval.ndcg@10"})");

  ToyRun() {
    write_dev_files(folder / "dev", toy_pairs(90), *mining::texts_of({"the cat"}), 5, 1);
    config.set_json("evaluate.retrieval.data", folder / "dev");
  }
  Json go(const std::string& name, const Cancel* cancel = nullptr) const {
    const TrainingPlaces places{folder / (name + "-state"), folder / (name + "-start.json"),
                                folder / (name + "-course"), folder / (name + "-best")};
    return run_training(model, data, config, "retrieval.ndcg@10", places, 5, cancel);
  }
};

TEST(TrainingRun, EndsWithTheBestWeightsAndItsCourse) {
  const ToyRun run;
  const Json report = run.go("whole");
  EXPECT_EQ(report["steps"], 12);
  EXPECT_EQ(report["total_steps"], 12);
  EXPECT_GT(report["best_dev"].get<double>(), report["start_dev"].get<double>());
  ASSERT_EQ(report["course"].size(), 13u);
  EXPECT_EQ(report["course"][0]["dev"], report["start_dev"]);
  EXPECT_TRUE(report["course"][1]["dev"].is_null());
  EXPECT_TRUE(report["course"][4]["dev"].is_number());
  EXPECT_EQ(report["config"]["lr"], 0.002);
  EXPECT_TRUE(path_exists(run.folder / "whole-best/model.safetensors"));
}

TEST(TrainingRun, ARunThatWasStoppedGoesOnToTheSameWeights) {
  const ToyRun run;
  const Json whole = run.go("whole");
  Cancel cancel;
  set_log_sink(
      [&](LogLevel, const std::string& message) {
        if (message.rfind("adapt: 7 of 12", 0) == 0) cancel.trigger();
      },
      LogLevel::kInfo);
  expect_error(Status::kCancelled, "cancelled", [&] { run.go("stopped", &cancel); });
  set_log_sink({}, LogLevel::kWarning);
  EXPECT_FALSE(path_exists(run.folder / "stopped-best"));
  const size_t depth = 100000;  // a number of a line that does not exist
  std::ofstream(run.folder / "stopped-course", std::ios::app)
      << "{\"step\":1,\"x\":" << std::string(depth, '[') << std::string(depth, ']') << "}\n";
  const Json rest = run.go("stopped");
  EXPECT_EQ(rest["steps"], 12);
  EXPECT_EQ(rest["course"], whole["course"]);
  EXPECT_EQ(read_file(run.folder / "stopped-best/model.safetensors", 1 << 24),
            read_file(run.folder / "whole-best/model.safetensors", 1 << 24));
}

}  // namespace
}  // namespace contrastive::adapt
