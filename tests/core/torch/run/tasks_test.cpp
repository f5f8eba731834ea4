// Runs on several datasets: pairs for multiple negatives, pairs with scores, triplets.
#include "core/torch/run/tasks.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "core/base/file.h"
#include "core/base/log.h"
#include "core/torch/dist/dist_options.h"
#include "core/torch/run/training_run.h"
#include "tests/core/torch/run/toy.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::run {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Tasks : public ::testing::Test {
 protected:
  Tasks() {
    std::string scored, triplets;
    const auto pairs = toy_pairs(40);
    for (int64_t i = 0; i < 18; ++i)
      scored += cat(i % 6, "\t", pairs->get(i).a, "\t", pairs->get((i * (i % 6)) % 18).b, "\n");
    for (int64_t i = 0; i < 14; ++i)
      triplets +=
          cat(pairs->get(i + 20).a, "\t", pairs->get(i + 20).b, "\t", pairs->get(i).b, "\n");
    folder_.write("scored.tsv", scored);
    folder_.write("triplets.tsv", triplets);
    folder_.write("empty.tsv", "");
    folder_.write("pairs.tsv", "one cat\ta cat\none dog\ta dog\na red house\tthe house\n");
  }

  // 24 pairs in batches of 8, 18 scored pairs in batches of 6, 14 triplets in batches of 4: 3 + 3 +
  // 4 batches an epoch.
  Config config(const std::string& more = "{}") const {
    Config config = Config::parse(
        R"({"method": "mnrl", "batch_size": 8, "epochs": 2, "lr": 1e-3, "seed": 3, "warmup_steps": 2,
                                      "task2.method": "scored", "task2.batch_size": 6, "task2.data.columns": [1, 2, 0],
                                      "task3.method": "triplet", "task3.batch_size": 4, "task3.triplet.margin": 0.5, "task3.weight": 0.5,
                                      "task3.data.columns": [0, 1], "task3.data.negatives": [2]})");
    config.set("task2.dataset", folder_ / "scored.tsv");
    config.set("task3.dataset", folder_ / "triplets.tsv");
    config.merge(Config::parse(more));
    return config;
  }
  std::unique_ptr<TrainingRun> trainer(const Config& config) const {
    return std::make_unique<TrainingRun>(tiny_model(), toy_pairs(24), config);
  }
  void refuses(const std::string& part, const std::string& more,
               Status status = Status::kArgument) const {
    SCOPED_TRACE(more);
    expect_error(status, part, [&] { check_config(config(more)); });
  }
  void refuses_data(const std::string& part, const std::string& more,
                    Status status = Status::kArgument) const {
    SCOPED_TRACE(more);
    EXPECT_NO_THROW(check_config(config(more))) << "the keys are valid";
    expect_error(status, part, [&] { check_config(config(more), toy_pairs(24)); });
  }

  TemporaryFolder folder_;
};

int steps(training::Trainer& trainer, int most = 1000) {
  int made = 0;
  while (made < most && trainer.step() == Status::kOk) ++made;
  return made;
}

TEST_F(Tasks, AKeyOfATaskGoesBeforeOneForAll) {
  const RunConfig run = read_run_config(
      config(
          R"({"few_shot": 10, "task2.few_shot": 0, "task2.scored.scale": 5, "mnrl.anchor_prompt": "q: "})"),
      true);
  ASSERT_EQ(run.tasks(), 3u);
  EXPECT_EQ(run.task(0).options.batch_size, 8);
  EXPECT_EQ(run.task(1).options.batch_size, 6);
  EXPECT_EQ(run.task(0).options.few_shot, 10);
  EXPECT_EQ(run.task(1).options.few_shot, 0);
  EXPECT_EQ(run.task(2).options.few_shot, 10);
  EXPECT_EQ(run.task(1).options.method, "scored");
  EXPECT_EQ(*run.task(1).complete.find("scored.scale"), 5);
  EXPECT_EQ(run.task(0).weight, 1);
  EXPECT_EQ(run.task(2).weight, 0.5);
  EXPECT_EQ(run.options.task(2).batch_size, 4);

  // A task without a method has the run's method and keys. How a file is read is set for each task.
  const RunConfig same = read_run_config(
      Config::parse(
          R"({"method": "mnrl", "mnrl.anchor_prompt": "q: ", "data.header": true, "task2.dataset": "x"})"),
      true);
  EXPECT_EQ(same.task(1).options.method, "mnrl");
  EXPECT_EQ(*same.task(1).complete.find("mnrl.anchor_prompt"), "q: ");
  EXPECT_EQ(*same.task(1).complete.find("data.header"), false);
  EXPECT_EQ(same.task(1).options.batch_size, 64);
}

TEST_F(Tasks, TheResolvedConfigIsTheSameRun) {
  const auto first = trainer(config(R"({"task1.weight": 2, "tasks.sampling": "round_robin"})"));
  const Config resolved = first->resolved_config();
  EXPECT_EQ(*resolved.find("task1.weight"), 2.0);
  EXPECT_EQ(*resolved.find("task2.weight"), 1.0);
  EXPECT_EQ(*resolved.find("task2.method"), "scored");
  EXPECT_EQ(*resolved.find("task2.scored.scale"), 20.0);
  EXPECT_EQ(*resolved.find("task3.last_batch"), "keep");
  EXPECT_FALSE(resolved.has("task2.lr"));
  EXPECT_FALSE(resolved.has("task2.scored.lora_rank")) << "the encoder is set up by the first task";
  const auto second = trainer(resolved);
  EXPECT_EQ(second->resolved_config().to_json(), resolved.to_json());
  EXPECT_EQ(steps(*first, 5), 5);
  EXPECT_EQ(steps(*second, 5), 5);
  EXPECT_EQ(first->trained(false)->fingerprint(), second->trained(false)->fingerprint());
  EXPECT_FALSE(std::make_unique<TrainingRun>(tiny_model(), toy_pairs(9), toy_config())
                   ->resolved_config()
                   .has("task1.weight"));
}

TEST_F(Tasks, RefusesKeysThatNoTaskReads) {
  refuses("did you mean", R"({"task2.method": "scoredd"})");
  refuses("'task2.method'", R"({"task2.method": "scoredd"})");
  refuses("'task2.method'", R"({"task2.method": 5})");
  refuses("config key 'task4.dataset' is missing: the run has a task 5",
          R"({"task5.dataset": "x"})");
  refuses("config key 'task4.dataset' is missing: the file that task 4 trains on",
          R"({"task4.method": "mnrl"})");
  refuses("'task2.dataset' is missing", R"({"task2.dataset": ""})");
  refuses("config key 'task2.lr': the tasks share one encoder, optimiser and schedule",
          R"({"task2.lr": 1})");
  refuses("config key 'task2.dev'", R"({"task2.dev": "x"})");
  refuses("config key 'task2.device'", R"({"task2.device": "cpu"})");
  refuses("config key 'task2.evaluate.sts.data'", R"({"task2.evaluate.sts.data": "x"})");
  refuses("unknown config key 'task2.batch_sise'; did you mean 'task2.batch_size'?",
          R"({"task2.batch_sise": 1})");
  refuses("config key 'task2.batch_size'", R"({"task2.batch_size": 0})");
  refuses(
      "config key 'task2.batch_size' is 1, but method 'scored' takes its negatives from the batch",
      R"({"task2.batch_size": 1})");
  refuses("'task2.weight' must be a number above 0", R"({"task2.weight": 0})");
  refuses("'task2.mnrl.scale' belongs to method mnrl", R"({"task2.mnrl.scale": 3})");
  refuses("'task2.scored.max_score'", R"({"task2.scored.max_score": 5})");
  refuses("method 'scored' takes no hard negatives", R"({"task2.data.negatives": [3]})");
  refuses("config key 'task1.batch_size': the first task's keys stand without a prefix",
          R"({"task1.batch_size": 4})");
  refuses("it trains on the run's dataset", R"({"task1.dataset": "x"})");
  refuses("config key 'task2.scored.lora_rank': the tasks share one encoder",
          R"({"task2.scored.lora_rank": 4})");
  refuses("config key 'task2.scored.pooling'", R"({"task2.scored.pooling": "cls"})");
  const auto alone = [](const std::string& key, const Json& value) {
    Config config = toy_config("{}", "mnrl");
    config.set_json(key, value);
    return config;
  };
  expect_error(Status::kArgument, "config key 'task1.weight': the run has one task",
               [&] { check_config(alone("task1.weight", 2)); });
  expect_error(Status::kArgument, "config key 'tasks.sampling': the run has one task",
               [&] { check_config(alone("tasks.sampling", "round_robin")); });
  EXPECT_NO_THROW(check_config(alone("tasks.sampling", "proportional")));
}

TEST_F(Tasks, AStudentLearnsBesideOthersAndItsTeacherIsKept) {
  const std::string teacher = fixtures() + "/models/bert_st_old";
  const std::string keys = cat(
      R"({"task2.method": "distill", "task2.data.columns": [1, 2], "task2.distill.projection": "linear", "cache": ")",
      folder_ / "kept", R"(", "task2.distill.teacher": ")", teacher, "\"}");
  const auto run = trainer(config(keys));
  while (run->step() == Status::kOk) {
  }
  EXPECT_TRUE(std::isfinite(run->metric("loss.task2")));
  EXPECT_TRUE(path_exists(folder_ / "kept"));
}

TEST_F(Tasks, RefusesMethodsThatCannotShare) {
  refuses("config key 'task2.method': method 'clsr' cannot share its encoder with other tasks; "
          "methods that can: consert, mnrl",
          R"({"task2.method": "clsr"})");
  Config first = config();
  first.set("method", "clear");
  expect_error(Status::kArgument, "config key 'method': method 'clear' cannot share its encoder",
               [&] { check_config(first); });
  refuses("config key 'task2.method': method 'reranker' cannot share its encoder",
          R"({"task2.method": "reranker"})");
  first.set("method", "reranker");
  expect_error(Status::kArgument, "config key 'method': method 'reranker' cannot share its encoder",
               [&] { check_config(first); });
  refuses("'consert' would train in stages",
          R"({"task2.method": "consert", "task2.consert.mode": "sup-unsup"})");
  Config stages = Config::parse(
      R"({"method": "consert", "consert.mode": "sup-unsup", "stage2.dataset": "x", "task2.dataset": "y"})");
  expect_error(Status::kArgument, "config key 'task2.dataset': the run trains in stages",
               [&] { check_config(stages); });
  Config own_batches = config(R"({"max_steps": 5})");
  own_batches.erase("epochs");
  expect_error(Status::kArgument,
               "config key 'task2.dataset' needs a dataset for the first task too",
               [&] { std::make_unique<TrainingRun>(tiny_model(), nullptr, own_batches); });
}

TEST_F(Tasks, RefusesDataBeforeAModelIsLoaded) {
  const auto file = [&](const std::string& name) {
    return cat(R"({"task2.dataset": ")", folder_ / name, "\"}");
  };
  refuses_data("config key 'task2.dataset'", file("absent.tsv"), Status::kNotFound);
  refuses_data("empty.tsv: no examples", file("empty.tsv"), Status::kFormat);
  refuses_data("label", cat(R"({"task2.data.columns": [0, 1], "task2.dataset": ")",
                            folder_ / "pairs.tsv", "\"}"));
  refuses_data("(task 2)", cat(R"({"task2.data.columns": [0, 1], "task2.dataset": ")",
                               folder_ / "pairs.tsv", "\"}"));
  refuses_data("'warmup_steps' requests a warm-up of 30 updates, but the run has 20",
               R"({"warmup_steps": 30})");
}

TEST_F(Tasks, ABadScoreIsMetBeforeTheFirstUpdate) {
  const auto run = trainer(config(R"({"task2.scored.loss": "mse", "task2.scored.max_score": 4})"));
  expect_error(Status::kArgument, "scored.tsv:6: the score is 5", [&] { run->step(); });
  const auto no_triplets = trainer(config(
      cat(R"({"task3.data.negatives": [], "task3.dataset": ")", folder_ / "pairs.tsv", "\"}")));
  expect_error(Status::kArgument, "(task 3)", [&] { no_triplets->step(); });
}

TEST_F(Tasks, EveryUpdateIsOfOneTaskAndSaysWhich) {
  const auto run = trainer(config());
  EXPECT_EQ(run->metric("steps_per_epoch"), 10);
  EXPECT_EQ(run->metric("total_steps"), 20);
  int seen[3] = {};
  double last[3] = {-1, -1, -1};
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(run->step(), Status::kOk);
    int task = -1;
    for (int t = 0; t < 3; ++t) {
      const double loss = run->metric(cat("loss.task", t + 1));
      if (std::isnan(loss) || loss == last[t]) continue;
      EXPECT_EQ(task, -1) << "two tasks in one update";
      task = t;
      last[t] = loss;
    }
    ASSERT_GE(task, 0);
    ++seen[task];
    EXPECT_NEAR(run->metric("loss"), last[task] * (task == 2 ? 0.5 : 1), 1e-6);
  }
  EXPECT_THAT(seen, ::testing::ElementsAre(3, 3, 4));
  EXPECT_EQ(steps(*run), 10);
}

TEST_F(Tasks, RecordsHaveTheLossesOfTheirUpdates) {
  const auto run = trainer(config(cat(R"({"tasks.sampling": "round_robin", "metrics_file": ")",
                                      folder_ / "metrics.jsonl", "\"}")));
  EXPECT_EQ(run->metric("steps_per_epoch"), 9);
  EXPECT_EQ(steps(*run, 6), 6);
  std::ifstream file(folder_ / "metrics.jsonl");
  int number = 0;
  for (std::string line; std::getline(file, line); ++number) {
    const Json record = Json::parse(line);
    for (int task = 0; task < 3; ++task) {
      const std::string key = cat("loss.task", task + 1);
      EXPECT_EQ(record.contains(key) && !record.at(key).is_null(), task == number % 3)
          << "line " << number << ": " << line;
    }
  }
  EXPECT_EQ(number, 6);
}

TEST_F(Tasks, AllTasksTrainOneEncoder) {
  const auto run = trainer(config());
  EXPECT_EQ(steps(*run), 20);
  const std::string trained = run->trained(false)->fingerprint();
  EXPECT_NE(trained, tiny_model()->fingerprint());
  // The second task's loss falls although the saved model is the first task's.
  const auto other = trainer(config(R"({"task2.weight": 1e-6, "task3.weight": 1e-6})"));
  EXPECT_EQ(steps(*other), 20);
  EXPECT_NE(other->trained(false)->fingerprint(), trained);
}

// One update of a single task from the same start equals the first update of a run in which that
// task comes first.
TEST_F(Tasks, ATasksUpdateIsThatOfARunOfItsOwn) {
  const auto joint = trainer(
      config(R"({"tasks.sampling": "round_robin", "warmup_steps": 0, "schedule": "constant"})"));
  const auto alone = std::make_unique<TrainingRun>(
      tiny_model(), toy_pairs(24),
      Config::parse(R"({"method": "mnrl", "batch_size": 8, "epochs": 2, "lr": 1e-3, "seed": 3,
                                                                 "warmup_steps": 0, "schedule": "constant"})"));
  EXPECT_EQ(steps(*joint, 1), 1);
  EXPECT_EQ(steps(*alone, 1), 1);
  EXPECT_EQ(joint->metric("loss"), alone->metric("loss"));
  EXPECT_EQ(joint->trained(false)->fingerprint(), alone->trained(false)->fingerprint());
}

TEST_F(Tasks, AResumedRunIsTheSameRun) {
  const std::string dev =
      folder_.write("dev.tsv", "5\ta cat\tthe cat\n0\ta cat\ta red house\n3\tone dog\ta dog\n");
  const std::string keys = cat(R"({"eval_every": 4, "accumulate": 2, "dev": ")", dev, "\"}");
  const auto whole = trainer(config(keys));
  EXPECT_EQ(whole->metric("total_steps"), 10);
  EXPECT_EQ(steps(*whole), 10);
  for (const int pause : {1, 5, 6}) {
    const auto before = trainer(config(keys));
    EXPECT_EQ(steps(*before, pause), pause);
    before->save(folder_ / "saved");
    const auto after = TrainingRun::resume(folder_ / "saved", tiny_model(), toy_pairs(24), {});
    EXPECT_EQ(after->resolved_config().to_json(), before->resolved_config().to_json());
    EXPECT_EQ(steps(*after), 10 - pause);
    EXPECT_EQ(after->trained(false)->fingerprint(), whole->trained(false)->fingerprint())
        << "paused after " << pause;
    EXPECT_EQ(after->trained(true)->fingerprint(), whole->trained(true)->fingerprint());
    EXPECT_EQ(after->metric("best_dev"), whole->metric("best_dev"));
  }
  // The file of a task may have moved, but its examples must be the same.
  std::filesystem::copy(folder_ / "scored.tsv", folder_ / "elsewhere.tsv");
  Config moved;
  moved.set("task2.dataset", folder_ / "elsewhere.tsv");
  EXPECT_EQ(steps(*TrainingRun::resume(folder_ / "saved", tiny_model(), toy_pairs(24), moved)), 4);
  std::ofstream(folder_ / "elsewhere.tsv", std::ios::app) << "1\tmore\tof it\n";
  expect_error(Status::kMismatch, "data was",
               [&] { TrainingRun::resume(folder_ / "saved", tiny_model(), toy_pairs(24), moved); });
  expect_error(Status::kMismatch, "'task2.batch_size' cannot change", [&] {
    TrainingRun::resume(folder_ / "saved", tiny_model(), toy_pairs(24),
                        Config::parse(R"({"task2.batch_size": 5})"));
  });
}

TEST_F(Tasks, HowAnUpdateIsSplitChangesNothing) {
  const auto trained = [&](const std::string& keys) {
    auto run = trainer(config(keys));
    EXPECT_EQ(steps(*run), 20);
    return run;
  };
  const auto whole = trained(R"({"negatives": "global", "task3.weight": 1})");
  const auto split = trained(
      R"({"negatives": "global", "accumulate": 2, "batch_size": 4, "task2.batch_size": 3, "task3.batch_size": 2, "task3.weight": 1})");
  std::vector<float> a(static_cast<size_t>(whole->trained(false)->dimension())), b(a.size());
  whole->trained(false)->encode({"a cat in a red house"}, {}, a.data());
  split->trained(false)->encode({"a cat in a red house"}, {}, b.data());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 2e-4);
  // Any number of threads reads the same batches.
  EXPECT_EQ(trained(R"({"data_threads": 0})")->trained(false)->fingerprint(),
            trained(R"({"data_threads": 3})")->trained(false)->fingerprint());
}

TEST_F(Tasks, RanksTrainTheRunOfOneProcess) {
  for (const std::string keys :
       {R"({"max_steps": 6})", R"({"max_steps": 4, "negatives": "global", "accumulate": 2})"}) {
    const auto one = trainer(config(keys));
    steps(*one);
    Config shared = config(keys);
    shared.set("dist.mode", "threads");
    shared.set_json("dist.devices", Json::array({test_device(), test_device()}));
    const auto two = make_trainer(tiny_model(), toy_pairs(24), shared);
    steps(*two);
    std::vector<float> a(static_cast<size_t>(one->trained(false)->dimension())), b(a.size());
    one->trained(false)->encode({"a cat in a red house"}, {}, a.data());
    two->trained(false)->encode({"a cat in a red house"}, {}, b.data());
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 2e-4) << keys;
    EXPECT_NEAR(one->metric("loss"), two->metric("loss"), 1e-4);
  }
}

TEST_F(Tasks, AHeadOfAFurtherTaskTrainsWithItAndIsThrownAway) {
  Config with_head =
      config(R"({"task4.method": "simcse", "task4.batch_size": 7, "task4.data.format": "text"})");
  with_head.set(
      "task4.dataset",
      folder_.write("texts.txt",
                    "one text\ntwo texts\nthree texts\na cat\na dog\na red house\nthe end\n"));
  const auto whole = trainer(with_head);
  EXPECT_EQ(steps(*whole), 22);
  const auto before = trainer(with_head);
  EXPECT_EQ(steps(*before, 9), 9);
  before->save(folder_ / "saved");
  const auto after = TrainingRun::resume(folder_ / "saved", tiny_model(), toy_pairs(24), {});
  EXPECT_EQ(steps(*after), 13);
  EXPECT_EQ(after->trained(false)->fingerprint(), whole->trained(false)->fingerprint());
  EXPECT_TRUE(whole->trained(false)->folder().dense.empty());
}

TEST_F(Tasks, WithLowRankAdaptersAndCheckpointing) {
  const auto run = trainer(config(R"({"mnrl.lora_rank": 4, "max_steps": 6})")),
             again = trainer(config(
                 R"({"mnrl.lora_rank": 4, "max_steps": 6, "gradient_checkpointing": true})"));
  EXPECT_EQ(steps(*run), 6);
  EXPECT_EQ(steps(*again), 6);
  EXPECT_EQ(run->trained(false)->fingerprint(), again->trained(false)->fingerprint());
  EXPECT_NE(run->trained(false)->folder().adapter, nullptr);
}

TEST_F(Tasks, PromptsAreThoseOfTheTaskAndTheModelKeepsThem) {
  const auto run = trainer(config(
      R"({"mnrl.anchor_prompt": "query: ", "task2.scored.anchor_prompt": "sentence: ", "task3.triplet.candidate_prompt": "passage: "})"));
  EXPECT_EQ(steps(*run, 3), 3);
  const auto prompts = run->trained(false)->folder().prompts;
  EXPECT_EQ(prompts.at("query"), "query: ") << "the first task's has priority over the second's";
  EXPECT_EQ(prompts.at("document"), "passage: ");
}

TEST_F(Tasks, TheCardNamesEveryTask) {
  const auto run = trainer(config());
  EXPECT_EQ(steps(*run, 2), 2);
  run->save_best(folder_ / "model");
  std::ifstream file(folder_ / "model" + "/README.md");
  const std::string card((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const char* part : {"loss:MultipleNegativesRankingLoss", "loss:CoSENTLoss",
                           "loss:TripletLoss", "dataset_size:56", "**Method of task 2:** CoSENT",
                           "**Data of task 3:** `triplets.tsv`, 14 pairs with hard negatives",
                           "\"task3.dataset\": \"triplets.tsv\"", "su2022cosent"}) {
    EXPECT_THAT(card, HasSubstr(part));
  }
  EXPECT_THAT(card, Not(HasSubstr(folder_ / "triplets.tsv")));
}

TEST_F(Tasks, IdleNegativesAndFewExamplesAreSaidOfTheirTask) {
  std::vector<std::string> warnings;
  const auto data = toy_pairs(24);
  set_log_sink([&](LogLevel, const std::string& message) { warnings.push_back(message); },
               LogLevel::kWarning);
  const auto run =
      std::make_unique<TrainingRun>(tiny_model(), data, config(R"({"task2.few_shot": 100})"));
  set_log_sink({}, LogLevel::kWarning);
  EXPECT_THAT(warnings, ::testing::Contains(HasSubstr("the dataset of task 2 has 18")));
}

}  // namespace
}  // namespace contrastive::run
