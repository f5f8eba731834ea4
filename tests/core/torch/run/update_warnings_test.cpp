#include "core/torch/run/update_warnings.h"

#include <ATen/TensorOperators.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/torch/run/training_run.h"
#include "tests/core/torch/run/toy.h"
#include "tests/core/torch/run/warnings_of.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"
#include "tests/temporary_folder.h"

namespace contrastive::run {
namespace {

using ::testing::HasSubstr;

TEST(TrainerRecords, ASingleExampleIsWarnedOfByItsCause) {
  const auto warnings = [](const std::string& json, int64_t pairs) {
    return warnings_of([&] {
      const auto trainer = toy_trainer(json, pairs);
      trainer->step();
      EXPECT_EQ(trainer->metric("loss") == 0,
                pairs == 1 || json.find("few_shot") != std::string::npos);
    });
  };
  const auto one = warnings(R"({"last_batch": "drop"})", 1);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_THAT(one[0], HasSubstr("trains on one example"));
  EXPECT_THAT(one[0], ::testing::Not(HasSubstr("last_batch")));
  const auto few = warnings(R"({"few_shot": 1})", 9);
  ASSERT_EQ(few.size(), 1u);
  EXPECT_THAT(few[0], HasSubstr("few_shot = 1"));
  const auto part = warnings(R"({"last_batch": "keep", "accumulate": 2, "batch_size": 8})", 9);
  ASSERT_EQ(part.size(), 1u) << "a part of an update alone";
  EXPECT_THAT(part[0], HasSubstr("last_batch = drop"));
  EXPECT_TRUE(
      warnings(R"({"last_batch": "keep", "accumulate": 2, "batch_size": 8, "negatives": "global"})",
               9)
          .empty());
}

TEST(TrainingRun, CountsTheTextsThatAreCut) {
  const std::string word = "the cat sat on the mat and the dog ran ";
  const auto data = data::make_dataset();
  std::vector<data::Example> batch;
  for (const std::string& text : {word, word + "a", std::string("the cat"), word + "b"}) {
    data::Example example;
    example.a = text;
    data->add(example);
    batch.push_back(example);
  }
  std::vector<std::string> messages;
  set_log_sink([&](LogLevel, const std::string& message) { messages.push_back(message); },
               LogLevel::kWarning);
  const Config config =
      toy_config(R"({"simcse.max_length": 6, "batch_size": 4, "max_steps": 4})", "simcse");
  const TemporaryFolder folder;
  {
    TrainingRun trainer(tiny_model(), data, config);
    ASSERT_EQ(trainer.step(), Status::kOk);
    EXPECT_EQ(trainer.metric("truncated"), 3);
    ASSERT_EQ(trainer.step_batch(batch), Status::kOk);
    EXPECT_EQ(trainer.metric("truncated"), 6) << "a caller's batch counts too";
    trainer.save(folder / "saved");
  }
  const auto resumed = TrainingRun::resume(folder / "saved", tiny_model(), data, Config());
  ASSERT_EQ(resumed->step(), Status::kOk);
  EXPECT_EQ(resumed->metric("truncated"), 9);
  set_log_sink({}, LogLevel::kWarning);
  const std::string warning = "3 texts of update 0 are longer than 'simcse.max_length' and were "
                              "cut; metric 'truncated' counts them";
  EXPECT_EQ(std::count(messages.begin(), messages.end(), warning), 1);
  const auto said = [](const std::string& message) {
    return message.find("were cut") != std::string::npos;
  };
  EXPECT_EQ(std::count_if(messages.begin(), messages.end(), said), 1)
      << "once, of a resumed run too";
}

TEST(TrainingRun, TheReportOfNotANumberSpeaksOfTheMethodsOwnScaleAndOfFiniteNumbers) {
  TrainingRun trainer(
      tiny_model(), toy_pairs(50),
      toy_config(
          R"({"lr": 1000, "optimizer": "sgd", "momentum": 0.99, "warmup_steps": 0, "max_steps": 500, "schedule": "constant",
                                 "clip_norm": 0, "mnrl.scale": 30})",
          "mnrl"));
  const std::string message = expect_error(Status::kNumeric, ", scale 30", [&] {
    while (trainer.step() == Status::kOk) {
    }
  });
  EXPECT_THAT(message, ::testing::ContainsRegex(
                           "a vector [0-9][^,]*, [0-9]+ of the vectors' 512 numbers not finite"));
}

}  // namespace
}  // namespace contrastive::run
