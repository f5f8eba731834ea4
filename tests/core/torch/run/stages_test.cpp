// Runs in stages with ConSERT: first supervised on labelled pairs, then on the texts of a file.
#include "core/torch/run/stages.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "core/base/error.h"
#include "tests/core/torch/run/toy.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::run {
namespace {

using ::testing::HasSubstr;

class Stages : public ::testing::Test {
 protected:
  Stages() {
    std::string texts;
    for (int i = 0; i < 24; ++i)
      texts +=
          "text " + std::to_string(i) + (i % 2 == 0 ? " of the cat\n" : " on a new red house\n");
    folder_.write("texts.txt", texts);
    const auto plain = toy_pairs(24);
    for (int64_t i = 0; i < 24; ++i) {
      data::Example example = plain->get(i);
      example.label = static_cast<double>(i % 3);
      data_->add(example);
    }
  }

  Config config(const std::string& more = "{}") const {
    Config config = Config::parse(
        R"({"method": "consert", "consert.mode": "sup-unsup", "batch_size": 8, "lr": 1e-3, "max_steps": 6,
                                      "stage1.max_steps": 4, "stage2.lr": 2e-3, "seed": 3})");
    config.set("stage2.dataset", folder_ / "texts.txt");
    config.merge(Config::parse(more));
    return config;
  }
  std::unique_ptr<TrainingRun> trainer(const Config& config) const {
    return std::make_unique<TrainingRun>(tiny_model(), data_, config);
  }

  TemporaryFolder folder_;
  std::shared_ptr<data::Dataset> data_ = data::make_dataset();
};

TEST_F(Stages, AStagesOwnKeyGoesBeforeOneForAll) {
  const StagePlan plan = plan_stages(config());
  ASSERT_EQ(plan.stages.size(), 2u);
  EXPECT_EQ(*plan.stages[0].find("lr"), 1e-3);
  EXPECT_EQ(*plan.stages[0].find("max_steps"), 4);
  EXPECT_EQ(*plan.stages[1].find("lr"), 2e-3);
  EXPECT_EQ(*plan.stages[1].find("max_steps"), 6);
  EXPECT_EQ(*plan.stages[0].find("consert.mode"), "sup");
  EXPECT_EQ(*plan.stages[1].find("consert.mode"), "unsup");
  const StagePlan files = plan_stages(
      config(R"({"data.header": true, "data.format": "tsv", "stage2.data.format": "text"})"));
  EXPECT_TRUE(files.stages[0].has("data.header"));
  EXPECT_FALSE(files.stages[1].has("data.header"))
      << "the settings of the first file do not apply to the second";
  EXPECT_EQ(*files.stages[1].find("data.format"), "text");
  EXPECT_FALSE(plan_stages(Config::parse(R"({"method": "consert"})")).staged());
  EXPECT_FALSE(plan_stages(Config::parse(R"({"method": "clsr"})")).staged());
}

TEST_F(Stages, RefusesWhatNoStageReads) {
  for (const auto& [json, part] : std::vector<std::pair<std::string, std::string>>{
           {R"({"stage3.lr": 1})", "2 stages"},
           {R"({"stage1.dataset": "x"})", "stage1.dataset"},
           {R"({"stage2.lrr": 1})", "stage2.lrr"},
           {R"({"stage2.consert.view2": "adversarial"})", "needs labels"}}) {
    SCOPED_TRACE(json);
    expect_error(Status::kArgument, part, [&, json = json] { check_config(config(json)); });
  }
  Config without = config();
  without.erase("stage2.dataset");
  expect_error(Status::kArgument, "config key 'stage2.dataset' is missing",
               [&] { check_config(without); });
  expect_error(Status::kArgument, "config key 'stage2.lr': the run has no stages",
               [&] { check_config(Config::parse(R"({"method": "consert", "stage2.lr": 1})")); });
  expect_error(Status::kNotFound, "config key 'stage2.dataset': absent.txt", [&] {
    trainer(config(R"({"stage2.dataset": "absent.txt"})"));
  });  // found before the first stage, not after it
}

TEST_F(Stages, TheSecondStageBeginsWhereTheFirstEnded) {
  const auto run = trainer(config());
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(run->step(), Status::kOk);
    EXPECT_EQ(run->metric("stage"), 1);
    EXPECT_EQ(run->metric("loss"), run->metric("loss.cross_entropy"));
  }
  const std::string between = run->trained(true)->fingerprint();
  EXPECT_NE(between, tiny_model()->fingerprint());
  // The same second stage as a separate run.
  const StagePlan plan = plan_stages(config());
  const auto alone =
      std::make_unique<TrainingRun>(run->trained(true),
                                    data::open_dataset(folder_ / "texts.txt", {}), plan.stages[1]);
  for (int i = 0; i < 6; ++i) {
    ASSERT_EQ(run->step(), Status::kOk);
    ASSERT_EQ(alone->step(), Status::kOk);
    EXPECT_EQ(run->metric("stage"), 2);
    EXPECT_EQ(run->metric("step"), i + 1);
    EXPECT_EQ(run->metric("loss"), run->metric("loss.contrastive"));
    EXPECT_EQ(run->metric("loss"), alone->metric("loss"));
  }
  EXPECT_EQ(run->step(), Status::kDone);
  EXPECT_EQ(run->trained(false)->fingerprint(), alone->trained(false)->fingerprint());
}

TEST_F(Stages, TheSecondStageBeginsWithTheBestWeightsOfTheFirst) {
  std::string lines;
  for (int64_t i = 0; i < 24; ++i) lines += data_->get(i).a + "\t" + data_->get(i).b + "\n";
  Config with_dev = config(R"({"stage1.eval_every": 1, "stage1.lr": 0.1, "stage1.max_steps": 8})");
  with_dev.set("stage1.dev", folder_.write("dev.tsv", lines));
  const auto run = trainer(with_dev);
  for (int i = 0; i < 8; ++i) ASSERT_EQ(run->step(), Status::kOk);
  ASSERT_LT(run->metric("best_step"), 8)
      << "the last weights must not be the best, or nothing is tested";
  ASSERT_NE(run->trained(true)->fingerprint(), run->trained(false)->fingerprint());
  const auto second_stage = [&](bool best) {
    return std::make_unique<TrainingRun>(run->trained(best),
                                         data::open_dataset(folder_ / "texts.txt", {}),
                                         plan_stages(with_dev).stages[1]);
  };
  const auto from_best = second_stage(true), from_last = second_stage(false);
  for (const auto* one : {&run, &from_best, &from_last}) ASSERT_EQ((*one)->step(), Status::kOk);
  EXPECT_EQ(run->metric("stage"), 2);
  EXPECT_EQ(run->metric("loss"), from_best->metric("loss"));
  EXPECT_NE(run->metric("loss"), from_last->metric("loss"));
}

TEST_F(Stages, ResumeIsBitIdenticalInEitherStage) {
  for (const int updates : {3, 4, 7}) {  // within the first, between the two, within the second
    const auto whole = trainer(config());
    for (int i = 0; i < updates; ++i) whole->step();
    whole->save(folder_ / "run");
    const auto resumed = TrainingRun::resume(folder_ / "run", tiny_model(), data_, {});
    while (whole->step() == Status::kOk) {
      ASSERT_EQ(resumed->step(), Status::kOk);
      EXPECT_EQ(whole->metric("loss"), resumed->metric("loss"))
          << "after " << updates << ", update " << whole->metric("step");
      EXPECT_EQ(whole->metric("stage"), resumed->metric("stage"));
    }
    EXPECT_EQ(resumed->step(), Status::kDone);
    EXPECT_EQ(whole->trained(false)->fingerprint(), resumed->trained(false)->fingerprint());
  }
}

TEST_F(Stages, TheResolvedConfigIsTheSameRun) {
  const auto run = trainer(config(R"({"x-note": "kept", "few_shot": 16})"));
  const Config resolved = run->resolved_config();
  EXPECT_EQ(*resolved.find("stage1.lr"), 1e-3);
  EXPECT_EQ(*resolved.find("stage2.consert.view2"), "feature-cutoff");
  const auto again = trainer(resolved);
  EXPECT_EQ(again->resolved_config().to_json(), resolved.to_json());
  for (Status status = run->step(); status == Status::kOk; status = run->step()) {
    ASSERT_EQ(again->step(), Status::kOk);
    EXPECT_EQ(again->metric("loss"), run->metric("loss"));
  }
}

// How many updates `run` still makes in each stage.
std::map<int, int> updates_left(TrainingRun& run) {
  std::map<int, int> updates;
  while (run.step() == Status::kOk) ++updates[static_cast<int>(run.metric("stage"))];
  return updates;
}

TEST_F(Stages, OverridesOfAResumedRunReachTheStagesTheyName) {
  const auto run = trainer(config());
  run->step();
  run->save(folder_ / "run");
  const auto resume = [&](const std::string& json) {
    return TrainingRun::resume(folder_ / "run", tiny_model(), data_, Config::parse(json));
  };
  using Updates = std::map<int, int>;
  EXPECT_EQ(updates_left(*resume("{}")), (Updates{{1, 3}, {2, 6}}));
  EXPECT_EQ(updates_left(*resume(R"({"stage2.max_steps": 2})")), (Updates{{1, 3}, {2, 2}}))
      << "a stage that has not begun";
  EXPECT_EQ(updates_left(*resume(R"({"stage1.max_steps": 2})")), (Updates{{1, 1}, {2, 6}}));
  EXPECT_EQ(updates_left(*resume(R"({"max_steps": 3})")), (Updates{{1, 2}, {2, 3}}))
      << "for all stages, even if they had their own";
  EXPECT_EQ(updates_left(*resume(R"({"max_steps": 3, "stage2.max_steps": 1})")),
            (Updates{{1, 2}, {2, 1}}));
  EXPECT_EQ(updates_left(*resume(dump_ascii(config().to_json()))), (Updates{{1, 3}, {2, 6}}))
      << "the original config changes nothing";
  EXPECT_EQ(updates_left(*resume(dump_ascii(run->resolved_config().to_json()))),
            (Updates{{1, 3}, {2, 6}}));
  EXPECT_EQ(*resume(R"({"stage2.max_steps": 2})")->resolved_config().find("stage2.max_steps"), 2);
  expect_error(Status::kMismatch, "'stage2.lr' cannot change",
               [&] { resume(R"({"stage2.lr": 1e-5})"); });
  expect_error(Status::kMismatch, "'lr' cannot change", [&] { resume(R"({"lr": 1e-5})"); });
  expect_error(Status::kArgument, "2 stages", [&] { resume(R"({"stage3.max_steps": 1})"); });
}

TEST_F(Stages, OverridesInTheSecondStageAreSavedWithTheRun) {
  const auto run = trainer(config());
  for (int i = 0; i < 5; ++i) run->step();
  run->save(folder_ / "run");
  expect_error(Status::kMismatch, "the run is in stage 2", [&] {
    TrainingRun::resume(folder_ / "run", tiny_model(), data_,
                        Config::parse(R"({"stage1.max_steps": 9})"));
  });
  const auto longer = TrainingRun::resume(folder_ / "run", tiny_model(), data_,
                                          Config::parse(R"({"stage2.max_steps": 8})"));
  longer->step();
  longer->save(folder_ / "again");
  EXPECT_EQ(updates_left(*TrainingRun::resume(folder_ / "again", tiny_model(), data_, {})),
            (std::map<int, int>{{2, 6}}));
}

TEST_F(Stages, OtherDataInALaterStageIsAMismatch) {
  const auto run = trainer(config());
  run->step();
  run->save(folder_ / "run");
  std::filesystem::rename(folder_ / "texts.txt", folder_ / "moved.txt");
  Config moved;
  moved.set("stage2.dataset", folder_ / "moved.txt");
  EXPECT_EQ(updates_left(*TrainingRun::resume(folder_ / "run", tiny_model(), data_, moved)),
            (std::map<int, int>{{1, 3}, {2, 6}}))
      << "the same data under another name";
  folder_.write("texts.txt", "quite\nother\ntexts\nthan\nbefore\n");
  expect_error(Status::kMismatch, "stage2.dataset",
               [&] { TrainingRun::resume(folder_ / "run", tiny_model(), data_, {}); });
}

TEST_F(Stages, MessagesNameTheKeyAsItWasGiven) {
  expect_error(Status::kArgument, "unknown config key 'stage2.lrr'; did you mean 'stage2.lr'?",
               [&] { check_config(config(R"({"stage2.lrr": 1})")); });
  expect_error(Status::kArgument, "config key 'stage2.batch_size' must be",
               [&] { check_config(config(R"({"stage2.batch_size": 0})")); });
  expect_error(Status::kArgument, "config key 'batch_size' must be",
               [&] { check_config(config(R"({"batch_size": 0})")); });
  expect_error(Status::kArgument, "config key 'stage2.simcse.mlp' belongs to method simcse",
               [&] { check_config(config(R"({"stage2.simcse.mlp": 0})")); });
  expect_error(Status::kArgument, "'stage2.lr': the run has no stages",
               [&] { check_config(Config::parse(R"({"method": "clsr", "stage2.lr": 1})")); });
}

TEST_F(Stages, WhatTheLastStageAsksOfTheModelInVainIsSaidBeforeTheFirst) {
  for (const auto& [key, value] :
       {std::pair("stage2.consert.max_length", Json(1000)),
        std::pair("stage2.consert.eval_pooling", Json("layer:9:mean"))}) {
    Config asking = config();
    asking.set_json(key, value);
    EXPECT_NO_THROW(check_config(asking)) << "some model has these layers";
    expect_error(Status::kArgument, key, [&] { trainer(asking); });
    expect_error(Status::kArgument, key,
                 [&] { check_config(asking, nullptr, fixtures() + "/models/bert_st"); });
  }
}

TEST_F(Stages, OneTableHoldsTheLossTermsOfAllStages) {
  Config with_table = config();
  with_table.set("metrics_csv", folder_ / "m.csv");
  const auto run = trainer(with_table);
  updates_left(*run);
  std::ifstream file(folder_ / "m.csv");
  std::string header, line;
  std::getline(file, header);
  for (const char* column : {"stage", "loss.cross_entropy", "loss.contrastive"})
    EXPECT_THAT(header, HasSubstr(column));
  int rows = 0;
  for (; std::getline(file, line); ++rows) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','),
              std::count(header.begin(), header.end(), ','))
        << line;
  }
  EXPECT_EQ(rows, 10);
}

}  // namespace
}  // namespace contrastive::run
