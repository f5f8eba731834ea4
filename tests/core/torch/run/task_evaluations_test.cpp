// Evaluation tasks during a run: their figures in the metrics, how they choose the best weights,
// and that they do not change the run.
#include "core/torch/run/task_evaluations.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/eval/evaluate.h"
#include "core/torch/run/dev_set.h"
#include "tests/core/torch/run/toy.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::run {
namespace {

using ::testing::HasSubstr;

class TaskEvaluationsTest : public ::testing::Test {
 protected:
  TaskEvaluationsTest() {
    std::string lines;
    const auto pairs = toy_pairs(24);
    for (int64_t i = 0; i < 24; ++i) {
      lines += std::to_string(i % 5) + "\t" + pairs->get(i).a + "\t" +
               pairs->get(i % 5 == 4 ? i : (i + 7) % 24).b + "\n";
    }
    sts_ = folder_.write("sts, dev.tsv", lines);
  }
  Config keys(const std::string& more = "{}") const {
    Config config = toy_config(R"({"max_steps": 6, "clsr.encoder_init": "identity"})");
    config.set("evaluate.sts.data", sts_);
    config.merge(Config::parse(more));
    return config;
  }
  std::unique_ptr<TrainingRun> trainer(const Config& config) const {
    return std::make_unique<TrainingRun>(tiny_model(), toy_pairs(50), config);
  }
  static void finish(TrainingRun& trainer) {
    while (trainer.step() == Status::kOk) {
    }
  }

  TemporaryFolder folder_;
  std::string sts_;
};

TEST_F(TaskEvaluationsTest, FiguresAreThoseOfTheDeliveredModel) {
  const auto run = trainer(keys());
  finish(*run);
  Config task;
  task.set("data", sts_);
  const Json report = eval::evaluate(*run->trained(false), "sts", task, nullptr);
  EXPECT_EQ(run->metric("sts.spearman.all"), report.at("spearman").at("all").get<double>());
  EXPECT_EQ(run->metric("sts.pearson.wmean"), report.at("pearson").at("wmean").get<double>());
  EXPECT_EQ(run->metric("sts.subsets.sts__dev.pairs"), 24) << "a file name may contain a comma";
  EXPECT_TRUE(std::isnan(run->metric("best_dev"))) << "no figure was set to choose by";
}

TEST_F(TaskEvaluationsTest, RunsAsOftenAsAskedAndAtTheEnd) {
  const auto evaluated = [&](const std::string& json) {
    const std::string path = folder_ / "metrics.jsonl";
    std::filesystem::remove(path);
    Config config = keys(json);
    config.set("metrics_file", path);
    finish(*trainer(config));
    std::ifstream file(path);
    int first = 0, lines = 0;
    for (std::string line; std::getline(file, line);) {
      ++lines;
      if (first == 0 && line.find("sts.spearman.all") != std::string::npos) first = lines;
    }
    EXPECT_EQ(lines, 6);
    return first;
  };
  EXPECT_EQ(evaluated("{}"), 6);
  EXPECT_EQ(evaluated(R"({"evaluate_every": 4})"), 4);
  EXPECT_EQ(evaluated(R"({"eval_every": 2})"), 2)
      << "with the dev evaluations, if the tasks have no interval of their own";
  EXPECT_EQ(evaluated(R"({"eval_at_start": true})"), 1);
}

TEST_F(TaskEvaluationsTest, NothingOfItMovesAWeight) {
  for (const char* method : {"clsr", "simcse"}) {
    Config plain = toy_config(R"({"max_steps": 6})", method), watched = plain;
    watched.set("evaluate.sts.data", sts_);
    watched.set("evaluate_every", "1");
    const auto one = trainer(plain), two = trainer(watched);
    finish(*one);
    finish(*two);
    EXPECT_EQ(one->metric("loss"), two->metric("loss"));
    EXPECT_EQ(one->trained(false)->fingerprint(), two->trained(false)->fingerprint()) << method;
  }
}

TEST_F(TaskEvaluationsTest, AFigureMayChooseTheBestWeights) {
  const auto run = trainer(keys(
      R"({"dev_select": "sts.spearman.all", "evaluate_every": 1, "lr": 0.05, "patience": 100})"));
  double best = -2, at = 0;
  while (run->step() == Status::kOk) {
    if (run->metric("sts.spearman.all") > best)
      best = run->metric("sts.spearman.all"), at = run->metric("step");
  }
  EXPECT_EQ(run->metric("best_dev"), best);
  EXPECT_EQ(run->metric("best_step"), at);
  Config task;
  task.set("data", sts_);
  EXPECT_EQ(eval::evaluate(*run->trained(true), "sts", task, nullptr)
                .at("spearman")
                .at("all")
                .get<double>(),
            best);
}

TEST_F(TaskEvaluationsTest, AFigureThatNoTaskGivesIsNamedWithTheNearest) {
  expect_error(Status::kArgument, "did you mean 'sts.spearman.all'?",
               [&] { trainer(keys(R"({"dev_select": "sts.spearman.al"})")); });
}

TEST_F(TaskEvaluationsTest, APoolingThatTheModelHasNotIsFoundBeforeTheFirstUpdate) {
  expect_error(Status::kArgument, "config keys 'evaluate.sts.*': unknown pooling 'means'",
               [&] { trainer(keys(R"({"evaluate.sts.encode.pooling": "means"})")); });
  EXPECT_NO_THROW(trainer(keys(R"({"evaluate.sts.encode.pooling": "mean"})")));
}

TEST_F(TaskEvaluationsTest, BadDataIsFoundBeforeTheFirstUpdate) {
  folder_.write("bad.tsv", "1\ta\tb\nmuch\ta\tb\n");
  Config config = keys();
  config.set("evaluate.sts.data", folder_ / "bad.tsv");
  const std::string sts =
      expect_error(Status::kFormat, "config keys 'evaluate.sts.*': ", [&] { trainer(config); });
  EXPECT_THAT(sts, HasSubstr("bad.tsv:2: the columns are score, text, text, without "
                             "a header: the score 'much' is not a number"));
  config.set("evaluate.retrieval.data", folder_ / "bad.tsv");
  config.set("evaluate.sts.data", sts_);
  const std::string retrieval =
      expect_error(Status::kFormat,
                   "config keys 'evaluate.retrieval.*': ", [&] { trainer(config); });
  EXPECT_THAT(retrieval, HasSubstr("bad.tsv:1: 3 tab separated columns, expected 2"));
}

// The line without a score makes the STS reader log a warning in the middle of every evaluation;
// there the flag is raised.
class CancelledEvaluation : public TaskEvaluationsTest {
 protected:
  CancelledEvaluation() {
    std::string scored, pairs;
    const auto data = toy_pairs(24);
    for (int64_t i = 0; i < 24; ++i) {
      scored += std::to_string(i % 5) + "\t" + data->get(i).a + "\t" +
                data->get(i % 5 == 4 ? i : (i + 7) % 24).b + "\n";
      pairs += data->get(i).a + "\t" + data->get(i).b + "\n";
    }
    sts_ = folder_.write("sts.tsv", scored + "\tnot\tscored\n");
    dev_ = folder_.write("dev.tsv", pairs);
    set_log_sink(
        [this](LogLevel, const std::string& message) {
          if (message.find("without a score") != std::string::npos && armed_) armed_->trigger();
        },
        LogLevel::kWarning);
  }
  ~CancelledEvaluation() override { set_log_sink({}, LogLevel::kWarning); }

  std::unique_ptr<TrainingRun> begin(const std::string& more = "{}") const {
    Config config = keys(
        R"({"dev_select": "sts.spearman.all", "eval_every": 2, "eval_at_start": true, "lr": 0.05})");
    config.set("dev", dev_);
    config.merge(Config::parse(more));
    return trainer(config);
  }
  // Steps until the flag, which the evaluation after update `at` raises.
  void cancel_at(TrainingRun& run, int64_t at) {
    Cancel cancel;
    for (int64_t step = 1; step < at; ++step) ASSERT_EQ(run.step(), Status::kOk);
    armed_ = &cancel;
    expect_error(Status::kCancelled, "cancelled", [&] { run.step(&cancel); });
    armed_ = nullptr;
    EXPECT_EQ(run.metric("step"), at);
  }
  static void expect_same(const TrainingRun& one, const TrainingRun& other) {
    for (const char* figure : {"step", "sts.spearman.all", "dev", "best_dev", "best_step"}) {
      EXPECT_EQ(one.metric(figure), other.metric(figure)) << figure;
    }
    for (const bool best : {false, true})
      EXPECT_EQ(one.trained(best)->fingerprint(), other.trained(best)->fingerprint());
  }

  std::string dev_;
  Cancel* armed_ = nullptr;
};

TEST_F(CancelledEvaluation, IsMadeUpForByTheNextCall) {
  const auto whole = begin();
  finish(*whole);
  for (const int64_t at : {0, 2, 4, 6}) {
    SCOPED_TRACE(at);
    const auto stopped = begin();
    cancel_at(*stopped, at);
    EXPECT_EQ(std::isnan(stopped->metric("best_dev")), at == 0)
        << "no result of a cancelled evaluation is kept";
    const std::string run = folder_ / ("run" + std::to_string(at));
    stopped->save(run);
    const auto resumed = TrainingRun::resume(run, tiny_model(), toy_pairs(50), {});
    for (TrainingRun* each : {stopped.get(), resumed.get()}) {
      finish(*each);
      expect_same(*each, *whole);
    }
  }
}

TEST_F(CancelledEvaluation, HasItsLineInTheRecordsOnce) {
  const std::string path = folder_ / "metrics.jsonl";
  const auto run = begin("{\"metrics_file\": \"" + path + "\"}");
  cancel_at(*run, 4);
  finish(*run);
  std::ifstream file(path);
  std::vector<int64_t> steps;
  for (std::string line; std::getline(file, line);) {
    const Json record = Json::parse(line);
    steps.push_back(record.at("step").get<int64_t>());
    EXPECT_TRUE(record.at("loss").is_number()) << line;
  }
  EXPECT_THAT(steps, ::testing::ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(CancelledEvaluation, ThatWasAskedForKeepsNoFigure) {
  const auto run = begin(R"({"eval_at_start": false, "eval_every": 0})");
  ASSERT_EQ(run->step(), Status::kOk);
  Cancel cancel;
  armed_ = &cancel;
  expect_error(Status::kCancelled, "cancelled", [&] { run->evaluate(&cancel); });
  armed_ = nullptr;
  EXPECT_TRUE(std::isnan(run->metric("dev")));
  EXPECT_TRUE(std::isnan(run->metric("sts.spearman.all")));
  run->evaluate();
  EXPECT_FALSE(std::isnan(run->metric("dev")));
}

TEST_F(CancelledEvaluation, BehindABatchOfTheCallerIsMadeUpFor) {
  const auto run = begin(R"({"eval_at_start": false, "eval_every": 1})");
  const std::vector<data::Example> batch = {toy_pairs(8)->get(0), toy_pairs(8)->get(1),
                                            toy_pairs(8)->get(2)};
  Cancel cancel;
  armed_ = &cancel;
  expect_error(Status::kCancelled, "cancelled", [&] { run->step_batch(batch, &cancel); });
  armed_ = nullptr;
  EXPECT_EQ(run->metric("step"), 1);
  EXPECT_TRUE(std::isnan(run->metric("dev")));
  expect_error(Status::kCancelled, "cancelled",
               [&] { run->step_batch(batch, &cancel); });  // still raised
  EXPECT_EQ(run->metric("step"), 1);
  EXPECT_EQ(run->step_batch(batch), Status::kOk);
  EXPECT_EQ(run->metric("step"), 2);
  EXPECT_FALSE(std::isnan(run->metric("dev")));
}

TEST_F(CancelledEvaluation, OfTheDevFileAloneEndsToo) {
  Cancel cancel;
  cancel.trigger();
  const auto dev = open_dev_set(dev_, DevTask::kAuto);
  const auto model = tiny_model();
  const eval::TextEncoder encoder{model->dimension(),
                                  [&](const std::vector<std::string_view>& texts, float* out) {
                                    model->encode(texts, {}, out);
                                  }};
  EXPECT_GT(dev->score(encoder), 0);
  expect_error(Status::kCancelled, "cancelled", [&] { dev->score(encoder, &cancel); });
}

TEST_F(TaskEvaluationsTest, AFileThatIsNotThereIsFoundBeforeTheFirstUpdate) {
  expect_error(Status::kNotFound, "'evaluate.sts.data': absent.tsv",
               [&] { trainer(keys(R"({"evaluate.sts.data": "absent.tsv"})")); });
}

TEST_F(TaskEvaluationsTest, AResumedRunMayEvaluateOtherThings) {
  const auto run = trainer(keys(R"({"dev_select": "sts.spearman.all", "evaluate_every": 1})"));
  for (int i = 0; i < 3; ++i) run->step();
  run->save(folder_ / "run");
  const auto resume = [&](const std::string& json) {
    return TrainingRun::resume(folder_ / "run", tiny_model(), toy_pairs(50), Config::parse(json));
  };
  const auto
      same = resume("{}"),
      other = resume(
          R"({"evaluate_every": 2, "dev_select": "sts.pearson.all", "evaluate.sts.similarity": "dot"})");
  EXPECT_EQ(same->metric("best_dev"), run->metric("best_dev"));
  EXPECT_EQ(same->metric("sts.spearman.all"), run->metric("sts.spearman.all"));
  EXPECT_TRUE(std::isnan(other->metric("best_dev")))
      << "the best of one figure does not count for another";
  for (TrainingRun* each : {run.get(), same.get(), other.get()}) finish(*each);
  EXPECT_EQ(same->metric("best_dev"), run->metric("best_dev"));
  EXPECT_EQ(other->trained(false)->fingerprint(), run->trained(false)->fingerprint());
  EXPECT_FALSE(std::isnan(other->metric("best_dev")));
}

}  // namespace
}  // namespace contrastive::run
