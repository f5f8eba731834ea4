#include "core/torch/run/training_run.h"

#include <ATen/TensorOperators.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/data/batcher.h"
#include "core/torch/optim/optimizer_list.h"
#include "core/torch/tensors/tensors.h"
#include "tests/core/torch/run/dev_pairs.h"
#include "tests/core/torch/run/toy.h"
#include "tests/fixtures_folder.h"
#include "tests/temporary_folder.h"
#include "tests/expect_error.h"

namespace contrastive::run {
namespace {

using ::testing::HasSubstr;

TEST(TrainingRun, StepsToItsEndAndSaysSo) {
  const auto trainer = toy_trainer();
  EXPECT_EQ(trainer->metric("total_steps"), 20);
  EXPECT_EQ(trainer->metric("steps_per_epoch"), 6);  // the last batch of two is dropped
  EXPECT_TRUE(std::isnan(trainer->metric("loss")));
  for (int i = 0; i < 20; ++i) ASSERT_EQ(trainer->step(), Status::kOk);
  EXPECT_EQ(trainer->step(), Status::kDone);
  EXPECT_EQ(trainer->metric("step"), 20);
  EXPECT_GT(trainer->metric("grad_norm"), 0);
  EXPECT_GT(trainer->metric("samples_per_second"), 0);
  EXPECT_NEAR(trainer->metric("epoch"), 20.0 / 6, 1e-12);
  EXPECT_TRUE(std::isnan(trainer->metric("no such metric")));
}

TEST(TrainingRun, FollowsTheSchedule) {
  const auto trainer = toy_trainer();
  std::vector<double> rates;
  for (int i = 0; i < 4; ++i) trainer->step(), rates.push_back(trainer->metric("lr"));
  EXPECT_DOUBLE_EQ(rates[0], 0);
  EXPECT_DOUBLE_EQ(rates[1], 0.005);
  EXPECT_DOUBLE_EQ(rates[2], 0.01);
  EXPECT_LT(rates[3], 0.01);
}

TEST(TrainingRun, ConfigIsCheckedBeforeTheModelIsTouched) {
  // A null model would also fail, but later.
  expect_error(Status::kArgument, "did you mean 'lr'",
               [] { TrainingRun(nullptr, toy_pairs(4), toy_config(R"({"lrr": 1})")); });
  expect_error(Status::kArgument, "warm-up", [] { toy_trainer(R"({"warmup_steps": 21})"); });
  expect_error(Status::kNotFound, "dev file", [] { toy_trainer(R"({"dev": "absent.tsv"})"); });
  expect_error(Status::kArgument, "pairs", [] {
    const auto texts = data::make_dataset();
    texts->add({"one text", "", false});
    TrainingRun(tiny_model(), texts, toy_config());
  });
  expect_error(Status::kArgument, "no examples",
               [] { TrainingRun(tiny_model(), data::make_dataset(), toy_config()); });
}

TEST(TrainingRun, TakesTheCallersBatches) {
  TrainingRun trainer(tiny_model(), nullptr, toy_config());
  const auto data = toy_pairs(8);
  std::vector<data::Example> batch;
  for (int64_t i = 0; i < 8; ++i) batch.push_back(data->get(i));
  expect_error(Status::kState, "no dataset", [&] { trainer.step(); });
  expect_error(Status::kArgument, "without examples", [&] { trainer.step_batch({}); });
  expect_error(Status::kArgument, "one example", [&] { trainer.step_batch({batch[0]}); });
  for (int i = 0; i < 20; ++i) ASSERT_EQ(trainer.step_batch(batch), Status::kOk);
  EXPECT_EQ(trainer.step_batch(batch), Status::kDone);
}

TEST(TrainingRun, BatchesOfTheCallerTrainLikeThoseOfADataset) {
  const auto data = toy_pairs(8);
  TrainingRun own(tiny_model(), data, toy_config(R"({"max_steps": 3})")),
      theirs(tiny_model(), nullptr, toy_config(R"({"max_steps": 3})"));
  std::vector<data::Example> batch;
  for (int64_t i = 0; i < 8; ++i) batch.push_back(data->get(i));
  for (int i = 0; i < 3; ++i) {
    own.step();
    theirs.step_batch(batch);
    EXPECT_NEAR(own.metric("loss"), theirs.metric("loss"),
                1e-5);  // the order inside the batch differs
  }
}

TEST(TrainingRun, KeepsTheBestWeightsOfTheDevSet) {
  const TemporaryFolder folder;
  const auto trainer = toy_trainer(
      R"({"eval_every": 4, "eval_at_start": true, "clsr.encoder_init": "identity", "dev": ")" +
      dev_pairs(folder, 40) + "\"}");
  double best = -1;
  while (trainer->step() == Status::kOk) {
    const double dev = trainer->metric("dev");
    if (!std::isnan(dev)) best = std::max(best, dev);
  }
  EXPECT_GE(trainer->metric("best_dev"), best);
  EXPECT_GE(trainer->metric("best_step"), 0);
  trainer->save_best(folder / "best");
  EXPECT_FALSE(std::filesystem::exists(folder / "best/training_state"));
  EXPECT_NO_THROW(model::SentenceEncoder::load(folder / "best"));
}

TEST(TrainingRun, PatienceEndsTheRun) {
  const TemporaryFolder folder;
  // The rate is so small that no evaluation is strictly better than the first.
  const auto trainer = toy_trainer(
      R"({"lr": 1e-30, "clsr.encoder_init": "identity", "eval_every": 2, "patience": 3, "dev": ")" +
      dev_pairs(folder, 40) + "\"}");
  int steps = 0;
  while (trainer->step() == Status::kOk) ++steps;
  EXPECT_EQ(steps, 8);  // one best, then three without
}

TEST(TrainingRun, NotANumberStopsWithTheWeightsUntouched) {
  const std::string wild =
      R"({"lr": 1000, "optimizer": "sgd", "momentum": 0.99, "warmup_steps": 0, "max_steps": 500, "schedule": "constant")";
  const TemporaryFolder folder;
  const auto trainer = toy_trainer(
      wild + R"(, "clsr.temperature": 0.25, "save_every": 2, "keep": 1, "checkpoints": ")" +
      folder / "kept" + "\"}");
  const std::string message = expect_error(Status::kNumeric, "learning rate 1000", [&] {
    while (trainer->step() == Status::kOk) {
    }
  });
  EXPECT_THAT(message, HasSubstr("first bad tensor"));
  EXPECT_THAT(message, HasSubstr("temperature 0.25"));
  EXPECT_THAT(message,
              ::testing::ContainsRegex("largest finite absolute value of a vector [0-9][^,]*, "
                                       "[0-9]+ of the vectors' 256 numbers not"));
  EXPECT_THAT(message, ::testing::Not(HasSubstr("to blame")));
  const double step = trainer->metric("step");
  std::string digits = std::to_string(static_cast<int64_t>(step) / 2 * 2);
  digits.insert(0, 10 - digits.size(), '0');
  EXPECT_THAT(message, HasSubstr("the newest checkpoint is " + folder / ("kept/step-" + digits)));
  // The run is where it was, and meets the same batch.
  EXPECT_EQ(expect_error(Status::kNumeric, "learning rate 1000", [&] { trainer->step(); }),
            message);
  const auto skipping = toy_trainer(wild + R"(, "on_nan": "skip"})");
  while (skipping->step() == Status::kOk) {
  }
  EXPECT_GE(skipping->metric("skipped"), 1);
  EXPECT_EQ(skipping->metric("step"), 500);
  EXPECT_LT(step, 500);
  // A caller's examples have no position in a dataset, so the message names their row. Without
  // checkpoints it names no checkpoint.
  TrainingRun batches(tiny_model(), nullptr, toy_config(wild + "}"));
  std::vector<data::Example> batch;
  for (int64_t i = 0; i < 8; ++i) batch.push_back(toy_pairs(8)->get(i));
  const std::string own = expect_error(Status::kNumeric, "examples 0, 1, 2, 3, 4, 5, 6, 7)", [&] {
    while (batches.step_batch(batch) == Status::kOk) {
    }
  });
  EXPECT_THAT(own, ::testing::Not(HasSubstr("checkpoint")));
}

TEST(TrainingRun, AFileThatGrowsDuringTheRunIsNoticedAtTheNextEpoch) {
  const TemporaryFolder folder;
  std::string lines;
  for (int64_t i = 0; i < 16; ++i)
    lines += toy_pairs(16)->get(i).a + "\t" + toy_pairs(16)->get(i).b + "\n";
  const std::string path = folder.write("pairs.tsv", lines);
  TrainingRun trainer(tiny_model(), data::open_dataset(path, {}), toy_config());
  EXPECT_EQ(trainer.step(), Status::kOk);
  folder.write("pairs.tsv", lines + "one\tmore\n");
  EXPECT_EQ(trainer.step(), Status::kOk);
  expect_error(Status::kCorrupt, "must not change during the run", [&] { trainer.step(); });
  trainer.save(folder / "run");
  expect_error(Status::kMismatch, "data was '", [&] {
    TrainingRun::resume(folder / "run", tiny_model(), data::open_dataset(path, {}), {});
  });
}

TEST(TrainingRun, ASaveThatFailsLeavesTheOldOneAndTheRun) {
  const TemporaryFolder folder;
  const auto trainer = toy_trainer();
  trainer->step();
  folder.write("file", "x");
  expect_error(Status::kIo, "file: cannot be created", [&] { trainer->save(folder / "file/run"); });
  expect_error(Status::kIo, "file: is a file", [&] { trainer->save(folder / "file"); });
  EXPECT_EQ(trainer->step(), Status::kOk);
}

TEST(TrainingRun, AccumulationAveragesTheGradients) {
  // Plain gradient descent: one update over both batches ends midway between the updates over each.
  const std::string plain =
      R"({"optimizer": "sgd", "momentum": 0, "weight_decay": 0, "lr": 0.1, "schedule": "constant", "warmup_steps": 0, )";
  const auto data = toy_pairs(16);
  TrainingRun both(tiny_model(), data, toy_config(plain + R"("accumulate": 2})"));
  EXPECT_EQ(both.metric("steps_per_epoch"), 1);
  both.step();
  data::Batcher order({16, 8, 1, true, true});
  std::vector<at::Tensor> weights;
  double loss = 0;
  for (int part = 0; part < 2; ++part) {
    TrainingRun one(tiny_model(), nullptr, toy_config(plain + R"("max_steps": 1})"));
    std::vector<data::Example> batch;
    for (const int64_t index : order.next()) batch.push_back(data->get(index));
    one.step_batch(batch);
    loss += one.metric("loss") / 2;
    weights.push_back(tensors::to_torch(one.trained(false)->folder().dense[0].weight));
  }
  EXPECT_NEAR(both.metric("loss"), loss, 1e-6);
  EXPECT_TRUE(tensors::to_torch(both.trained(false)->folder().dense[0].weight)
                  .allclose((weights[0] + weights[1]) / 2, 1e-5, 1e-7));
  EXPECT_FALSE(weights[0].allclose(weights[1], 1e-5, 1e-7));
}

TEST(TrainingRun, CancelEndsBetweenUpdates) {
  const auto trainer = toy_trainer();
  Cancel cancel;
  EXPECT_EQ(trainer->step(&cancel), Status::kOk);
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled", [&] { trainer->step(&cancel); });
  EXPECT_EQ(trainer->metric("step"), 1);
}

TEST(TrainingRun, WritesMetricsAsJsonLines) {
  const TemporaryFolder folder;
  const auto trainer = toy_trainer(R"({"max_steps": 5, "metrics_every": 2, "metrics_file": ")" +
                                   folder / "metrics.jsonl" + "\"}");
  while (trainer->step() == Status::kOk) {
  }
  std::ifstream file(folder / "metrics.jsonl");
  std::vector<int64_t> steps;
  for (std::string line; std::getline(file, line);) {
    const Json json = parse_json(line, "metrics");
    steps.push_back(json.at("step").get<int64_t>());
    EXPECT_TRUE(json.contains("loss.contrastive"));
  }
  EXPECT_THAT(steps, ::testing::ElementsAre(2, 4, 5));
}

TEST(TrainingRun, ResumeRefusesAnotherRun) {
  const TemporaryFolder folder;
  const auto data = toy_pairs(50);
  TrainingRun trainer(tiny_model(), data, toy_config());
  for (int i = 0; i < 3; ++i) trainer.step();
  trainer.save(folder / "run");
  const auto resume = [&](const std::string& overrides, std::shared_ptr<data::Dataset> with) {
    return TrainingRun::resume(folder / "run", tiny_model(), with, Config::parse(overrides));
  };
  EXPECT_EQ(resume("{}", data)->metric("step"), 3);
  EXPECT_EQ(resume(R"({"max_steps": 40, "lr": 0.01})", data)->metric("total_steps"), 40);
  expect_error(Status::kMismatch, "'batch_size'", [&] { resume(R"({"batch_size": 16})", data); });
  expect_error(Status::kMismatch, "'clsr.temperature'",
               [&] { resume(R"({"clsr.temperature": 0.5})", data); });
  expect_error(Status::kMismatch, "data was '", [&] { resume("{}", toy_pairs(49)); });
  expect_error(Status::kMismatch, "model was '", [&] {
    TrainingRun::resume(folder / "run",
                        model::SentenceEncoder::load(fixtures() + "/models/bert_st_old",
                                                     on_test_device()),
                        data, {});
  });
  expect_error(Status::kNotFound, "manifest",
               [&] { TrainingRun::resume(folder.path(), tiny_model(), data, {}); });
}

TEST(TrainingRun, ASavedRunReplacesTheOneBefore) {
  const TemporaryFolder folder;
  const auto trainer = toy_trainer();
  for (int i = 0; i < 2; ++i) {
    trainer->step();
    trainer->save(folder / "run");
    EXPECT_EQ(TrainingRun::resume(folder / "run", tiny_model(), toy_pairs(50), {})->metric("step"),
              i + 1);
  }
  const auto names = std::filesystem::directory_iterator(folder.path());
  for (const auto& entry : names)
    EXPECT_EQ(entry.path().filename().string().find("tmp"), std::string::npos) << entry.path();
}

TEST(TrainingRun, ResumeInTheMiddleOfAnEpochIsBitIdentical) {
  const TemporaryFolder folder;
  const std::string dev = dev_pairs(folder, 40);
  for (const optim::OptimizerEntry& entry : optim::all_optimizers()) {
    if (!entry.in_runs) continue;
    const std::string optimizer = entry.name;
    const std::string more =
        R"({"eval_every": 5, "accumulate": 2, "clsr.input_norm": "standardize", "optimizer": ")" +
        optimizer + R"(", "dev": ")" + dev + "\"}";
    const auto whole = toy_trainer(more);
    for (int i = 0; i < 7; ++i) whole->step();
    whole->save(folder / "run");
    const auto resumed = TrainingRun::resume(folder / "run", tiny_model(), toy_pairs(50), {});
    while (whole->step() == Status::kOk) {
      ASSERT_EQ(resumed->step(), Status::kOk);
      for (const char* name :
           {"loss", "grad_norm", "lr", "step", "epoch", "dev", "best_dev", "best_step"}) {
        const double a = whole->metric(name), b = resumed->metric(name);
        const bool same = a == b || (std::isnan(a) && std::isnan(b));
        EXPECT_TRUE(same) << optimizer << " " << name << " at " << whole->metric("step") << ": "
                          << a << " and " << b;
      }
    }
    EXPECT_EQ(resumed->step(), Status::kDone);
    for (const bool best : {false, true})
      EXPECT_EQ(whole->trained(best)->fingerprint(), resumed->trained(best)->fingerprint())
          << optimizer;
  }
}

}  // namespace
}  // namespace contrastive::run
