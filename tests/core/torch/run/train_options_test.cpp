#include "core/torch/run/train_options.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/data/batcher.h"
#include "core/torch/run/training_run.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::run {
namespace {

RunConfig read(const std::string& json, bool has_data = true) {
  return read_run_config(Config::parse(json), has_data);
}

void refused_config(const std::string& json, const std::string& part, bool has_data = true) {
  SCOPED_TRACE(json);
  expect_error(Status::kArgument, part, [&] { read(json, has_data); });
}

TEST(TrainOptions, MethodBringsItsPapersDefaults) {
  const TrainOptions o = read(R"({"method": "clsr"})").options;
  EXPECT_EQ(o.batch_size, 512);
  EXPECT_DOUBLE_EQ(o.lr, 0.5);
  EXPECT_EQ(o.optimizer.name, "lars");
  EXPECT_DOUBLE_EQ(o.optimizer.weight_decay, 1e-4);
  EXPECT_EQ(o.schedule, optim::Schedule::kWarmupCosine);
  EXPECT_EQ(o.last_batch, LastBatch::kDrop);
}

TEST(TrainOptions, PlanOfThePapersRun) {
  const RunPlan plan = plan_run(read(R"({"method": "clsr"})"), 613);
  EXPECT_EQ(plan.total_steps, 1226000);
  EXPECT_EQ(plan.schedule.warmup, 6130);
  EXPECT_EQ(plan.eval_every, 6130);
}

TEST(TrainOptions, WarmupInEveryUnit) {
  EXPECT_EQ(
      plan_run(read(R"({"method": "clsr", "epochs": 4, "warmup_epochs": 2})"), 10).schedule.warmup,
      20);
  EXPECT_EQ(
      plan_run(read(R"({"method": "clsr", "epochs": 4, "warmup_steps": 7})"), 10).schedule.warmup,
      7);
  EXPECT_EQ(
      plan_run(read(R"({"method": "clsr", "epochs": 4, "warmup_steps": 0})"), 10).schedule.warmup,
      0);
}

TEST(TrainOptions, UpdatesOfThePapersRuns) {
  const Json counts = read_json_file(fixtures() + "/vectors.json")["lr"]["step_counts"];
  const auto batches = [&](const Json& run, const char* examples, bool drop_last = false) {
    data::BatcherOptions options;
    options.examples = run[examples].get<int64_t>();
    options.batch_size = run["batch"].get<int64_t>();
    options.drop_last = drop_last;
    return data::Batcher(options).batches_per_epoch();
  };
  const Json &sg_opt = counts["sg_opt_stsb"], &joint = counts["consert_joint_nli"],
             &unsup = counts["consert_unsup_base"], &clsr = counts["clsr_nli"];
  const RunConfig tenth = read(R"({"method": "clsr", "epochs": 1, "warmup_ratio": 0.1})");
  for (const auto& [run, examples] :
       {std::pair(&sg_opt, "sentences"), std::pair(&joint, "pairs")}) {
    const RunPlan plan = plan_run(tenth, batches(*run, examples));
    EXPECT_EQ(plan.total_steps, (*run)["steps"].get<int64_t>());
    EXPECT_EQ(plan.schedule.warmup, (*run)["warmup"].get<int64_t>());
  }
  const RunPlan ten = plan_run(read(R"({"method": "clsr", "epochs": 10, "warmup_ratio": 0.1})"),
                               batches(unsup, "sentences"));
  EXPECT_EQ(ten.steps_per_epoch, unsup["steps_per_epoch"].get<int64_t>());
  EXPECT_EQ(ten.total_steps, unsup["total"].get<int64_t>());
  EXPECT_EQ(ten.schedule.warmup, unsup["warmup"].get<int64_t>());
  EXPECT_EQ(batches(clsr, "pairs", true), clsr["steps_per_epoch_drop_last"].get<int64_t>());
  EXPECT_EQ(batches(clsr, "pairs", false), clsr["steps_per_epoch_keep_last"].get<int64_t>());
}

// CLEAR's 500,000 updates of 256 parts end a run that would be longer with one pass, as run.json
// states for the two keys, but make no run longer.
TEST(TrainOptions, AMethodsMaxStepsOnlyEndsARunEarly) {
  EXPECT_EQ(plan_run(read(R"({"method": "clear"})"), 613).total_steps, 3);
  EXPECT_EQ(plan_run(read(R"({"method": "clear"})"), 600000 * 256).total_steps, 500000);
  EXPECT_EQ(plan_run(read(R"({"method": "clear", "epochs": 2})"), 400000 * 256).total_steps, 800000)
      << "a number of passes was requested";
  expect_error(Status::kArgument, "config key 'warmup_epochs' requests a warm-up of 5",
               [&] { read(R"({"method": "clear", "warmup_epochs": 5})"); });  // of one pass
}

TEST(TrainOptions, AShortRunShortensTheMethodsWarmupButNotTheUsers) {
  EXPECT_EQ(plan_run(read(R"({"method": "clsr", "max_steps": 20})"), 613).schedule.warmup, 2);
  EXPECT_EQ(plan_run(read(R"({"method": "clsr", "max_steps": 1})"), 613).schedule.warmup, 0)
      << "a run of one update would have the rate 0";
  EXPECT_EQ(plan_run(read(R"({"method": "clsr", "epochs": 10})"), 9).schedule.warmup, 9);
  expect_error(Status::kArgument, "config key 'warmup_steps' requests a warm-up of 21", [&] {
    plan_run(read(R"({"method": "clsr", "max_steps": 20, "warmup_steps": 21})"), 613);
  });
}

TEST(TrainOptions, StepsAndEpochsTogetherMeanTheShorter) {
  EXPECT_EQ(plan_run(read(R"({"method": "clsr", "max_steps": 50})"), 10).total_steps, 50);
  EXPECT_EQ(plan_run(read(R"({"method": "clsr", "max_steps": 50, "epochs": 3})"), 10).total_steps,
            30);
  EXPECT_EQ(plan_run(read(R"({"method": "clsr", "max_steps": 20, "epochs": 3})"), 10).total_steps,
            20);
  EXPECT_EQ(plan_run(read(R"({"method": "clsr", "epochs": 3, "accumulate": 4})"), 10).total_steps,
            9);
}

TEST(TrainOptions, RefusesWhatCannotBe) {
  refused_config(R"({"metod": "clsr"})", "unknown config key 'metod'; did you mean 'method'?");
  refused_config(R"({"seed": 1})", "config key 'method' is missing");
  refused_config(R"({})", "'method' is missing");
  refused_config(R"({"method": "CLRS"})", "did you mean 'clsr'");
  refused_config(R"({"method": "clsr", "learning_rate": 1})", "unknown config key 'learning_rate'");
  refused_config(R"({"method": "clsr", "clsr.temprature": 1})", "did you mean 'clsr.temperature'");
  refused_config(R"({"method": "clsr", "optimizer": "adamwhf"})", "did you mean 'adamw-hf'");
  refused_config(R"({"method": "clsr", "schedule": "Warmup-Cosine"})", "warmup-cosine");
  for (const char* lr : {"0", "-1", "1e30", "\"fast\""})
    refused_config(std::string(R"({"method": "clsr", "lr": )") + lr + "}", "'lr'");
  for (const char* batch : {"0", "-4", "2147483648", "2.5"}) {
    refused_config(std::string(R"({"method": "clsr", "batch_size": )") + batch + "}",
                   "'batch_size'");
  }
  refused_config(R"({"method": "clsr", "batch_size": 1})", "negatives");
  refused_config(R"({"method": "clsr", "seed": -1})", "'seed'");
  for (const char* t : {"0", "1e-30", "-0.1"})
    refused_config(std::string(R"({"method": "clsr", "clsr.temperature": )") + t + "}",
                   "'clsr.temperature'");
  refused_config(R"({"method": "clsr", "warmup_steps": 1, "warmup_ratio": 0.1})",
                 "exclude each other");
  refused_config(R"({"method": "clsr", "warmup_ratio": 1.5})", "'warmup_ratio'");
  refused_config(R"({"method": "clsr", "betas": "0.9"})", "'betas'");
  refused_config(R"({"method": "clsr", "betas": "0.9,1"})", "'betas'");
  refused_config(R"({"method": "clsr", "patience": 3})", "needs a dev file");
  refused_config(R"({"method": "clsr", "eval_every": 3})", "needs a dev file");
  refused_config(R"({"method": "clsr", "correct_bias": false})", "adamw-hf");
  refused_config(R"({"method": "clsr", "optimizer": "sgd", "betas": "0.8,0.9"})",
                 "'betas' is set, but it goes with optimizer = adam");
  refused_config(R"({"method": "clsr", "eps": 1e-5})",
                 "'eps' is set, but it goes with optimizer = adam");
  refused_config(R"({"method": "simcse", "momentum": 0.5})",
                 "'momentum' is set, but it goes with optimizer = lars or sgd");
  refused_config(R"({"method": "clsr", "optimizer": "sgd", "trust": 0.01})",
                 "'trust' is set, but it goes with optimizer = lars");
  refused_config(R"({"method": "simcse", "simcse.positives": "dropout", "data.negatives": [2]})",
                 "'data.negatives' goes with pairs");
  for (const char* json : {R"({"method": "mnrl", "data.negatives": [2]})",
                           R"({"method": "simcse", "data.negatives": [2]})",
                           R"({"method": "clsr", "cache": "folder"})",
                           R"({"method": "consert", "cache": "", "data.negatives": []})"}) {
    EXPECT_NO_THROW(read(json)) << json;
  }
  EXPECT_NO_THROW(
      read(R"({"method": "clsr", "optimizer": "adamw", "betas": "0.8,0.9", "eps": 1e-5})"));
  EXPECT_NO_THROW(read(R"({"method": "clsr", "momentum": 0.5, "trust": 0.01})"));
  refused_config(R"({"method": "simcse", "epochs": 2, "warmup_epochs": 5})",
                 "'warmup_epochs' requests a warm-up of 5 epochs, but epochs is 2");
  refused_config(R"({"method": "simcse", "warmup_epochs": 2})", "'warmup_epochs'");
  EXPECT_NO_THROW(read(R"({"method": "simcse", "max_steps": 50, "warmup_epochs": 2})"))
      << "it depends on the length of an epoch, which is not known yet";
  refused_config(R"({"method": "clsr", "data.fromat": "tsv"})", "did you mean 'data.format'");
}

TEST(TrainOptions, RefusesWhatTheMethodDoesNotRead) {
  size_t tried = 0;
  for (const methods::MethodEntry& entry : methods::all_methods()) {
    const methods::MethodTraits traits = entry.describe({});
    if (!traits.hard_negatives) {
      refused_config(cat(R"({"method": ")", entry.name, R"(", "data.negatives": [2]})"),
                     cat("'data.negatives' is set, but method '", entry.name, "' takes no hard"));
      ++tried;
    }
    if (!traits.caches) {
      refused_config(cat(R"({"method": ")", entry.name, R"(", "cache": "folder"})"),
                     cat("'cache' is set, but method '", entry.name, "' computes nothing"));
      ++tried;
    }
  }
  EXPECT_GE(tried, 9u);
}

TEST(TrainOptions, MessagesSayWhereAKeyBelongs) {
  refused_config(
      R"({"method": "simcse", "consert.cutoff": 0.1})",
      "config key 'consert.cutoff' belongs to method consert; this run's method is simcse");
  refused_config(R"({"method": "simcse", "clsr.temperature": 0.1})", "belongs to method clsr");
  refused_config(
      R"({"seed": 1})",
      "'method' is missing: one of clsr, consert, mnrl, sgopt, simcse, clear, scored, triplet");
  refused_config(R"({"method": "consert", "consert.preset": "foo"})", "unsup-base, unsup-large");
  refused_config(R"({"method": "consert", "consert.mode": "foo"})",
                 "unsup, sup, joint, sup-unsup, joint-unsup");
  refused_config(R"({"method": "sgopt", "sgopt.objective": "opt4"})", "opt3, sg-opt");
  EXPECT_NO_THROW(read(R"({"method": "sgopt", "sgopt.objective": "opt3"})"));
  for (const char* key : {"qqqqqqqqq", "lrr"}) {
    const std::string message = expect_error(Status::kArgument, "unknown config key", [&] {
      read(cat(R"({"method": "clsr", ")", key, R"(": 1})"));
    });
    EXPECT_LT(message.size(), 120u) << "a list of all keys of a trainer does not help: " << message;
  }
}

TEST(TrainOptions, TheRhythmOfEvaluationsMayBeginAnewWithEachEpoch) {
  const auto due = [](const std::string& json, int64_t epoch) {
    const RunPlan plan = plan_run(read(json), epoch);
    std::vector<int64_t> steps;
    for (int64_t step = 1; step <= 2 * epoch; ++step) {
      if (plan.evaluation_due(step)) steps.push_back(step);
    }
    return steps;
  };
  using Steps = std::vector<int64_t>;
  // core/torch/methods/consert/README.md 6: at an interval from the start of each epoch, and at its
  // end.
  EXPECT_EQ(due(R"({"method": "consert"})", 930),
            (Steps{200, 400, 600, 800, 930, 1130, 1330, 1530, 1730, 1860}));
  EXPECT_EQ(due(R"({"method": "consert", "dev": "d.tsv", "eval_each_epoch": false})", 930),
            (Steps{200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800}));
  EXPECT_EQ(due(R"({"method": "consert", "dev": "d.tsv", "eval_every_epochs": 2})", 10),
            (Steps{20}));
  EXPECT_EQ(due(R"({"method": "sgopt"})", 120), (Steps{50, 100, 120, 170, 220, 240}));
  EXPECT_EQ(due(R"({"method": "clsr", "dev": "d.tsv", "eval_every": 0, "eval_each_epoch": true})",
                3),
            (Steps{3, 6}));
  EXPECT_EQ(due(R"({"method": "simcse"})", 100), (Steps{125}));
}

TEST(TrainOptions, TasksAreCheckedBeforeAnythingIsLoaded) {
  refused_config(R"({"method": "clsr", "evaluate.stss.data": "x"})",
                 "config key 'evaluate.stss.data': unknown task 'stss'; did you mean 'sts'?");
  refused_config(R"({"method": "clsr", "evaluate.sts.dataa": "x"})",
                 "unknown config key 'evaluate.sts.dataa'");
  refused_config(
      R"({"method": "clsr", "evaluate.sts.data": "x", "evaluate.sts.similarity": "cosin"})",
      "'evaluate.sts.similarity'");
  refused_config(
      R"({"method": "clsr", "evaluate.sts.data": "x", "evaluate.sts.encode.max_length": -1})",
      "'evaluate.sts.encode.max_length'");
  refused_config(R"({"method": "clsr", "evaluate_every": 5})", "'evaluate_every' needs a task");
  refused_config(R"({"method": "clsr", "dev_select": "sts.spearman.all"})", "'dev_select'");
  refused_config(R"({"method": "clsr", "dev_select": "sts", "evaluate.sts.data": "x"})",
                 "'dev_select'");
  refused_config(R"({"method": "clsr", "evaluate.sts.data": "x", "patience": 3})",
                 "'patience' needs a dev file");
  const RunConfig run =
      read(R"({"method": "clsr", "evaluate": {"sts": {"data": "x"}}, "patience": 3, "eval_every": 5,
                                 "dev_select": "sts.spearman.all"})");
  EXPECT_TRUE(run.complete.has("evaluate.sts.similarity"));
  EXPECT_FALSE(run.complete.has("evaluate.retrieval.data"))
      << "the resolved config does not contain a task that does not run";
  EXPECT_EQ(read_run_config(run.complete, true).complete.to_json(), run.complete.to_json());
  for (const std::string topic : {"", "consert"}) {
    const Json rows = describe_config(topic);
    EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [](const Json& row) {
      return row.at("key") == "evaluate.sts.data";
    })) << topic;
  }
}

TEST(TrainOptions, CallersBatchesNeedALengthOfRun) {
  refused_config(R"({"method": "clsr"})", "'max_steps' is needed", false);
  refused_config(R"({"method": "clsr", "max_steps": 5, "epochs": 2})", "'epochs' needs a dataset",
                 false);
  EXPECT_EQ(plan_run(read(R"({"method": "clsr", "max_steps": 5})", false), 0).total_steps, 5);
  EXPECT_EQ(plan_run(read(R"({"method": "clsr", "schedule": "constant"})", false), 0).total_steps,
            0);
}

TEST(TrainOptions, TheCallersOwnKeysAndTheModelsAreLeftAlone) {
  EXPECT_NO_THROW(read(R"({"method": "clsr", "x-note": "mine", "device": "cpu"})"));
}

TEST(TrainOptions, ResolvedConfigReadsAsTheSameRun) {
  for (
      const char* json :
      {R"({"method": "clsr"})",
       R"({"method": "clsr", "max_steps": 20, "lr": 0.25, "clsr.encoder_init": "identity"})",
       R"({"method": "clsr", "max_steps": 20, "warmup_steps": 0})",
       R"({"method": "clsr", "max_steps": 2000000, "epochs": 2000, "warmup_ratio": 0.5, "optimizer": "adam",
                               "betas": "0.8,0.9", "clsr.loss_on": "v"})"}) {
    const RunConfig run = read(json), again = read_run_config(run.complete, true);
    EXPECT_EQ(run.complete.to_json(), again.complete.to_json()) << json;
    const RunPlan one = plan_run(run, 613), two = plan_run(again, 613);
    EXPECT_EQ(one.total_steps, two.total_steps);
    EXPECT_EQ(one.schedule.warmup, two.schedule.warmup);
    EXPECT_EQ(one.eval_every, two.eval_every);
    const Config given = Config::parse(json);
    EXPECT_EQ(*run.complete.find("optimizer"),
              given.has("optimizer") ? *given.find("optimizer") : Json("lars"));
    EXPECT_EQ(*run.complete.find("clsr.temperature"), 0.1);
  }
}

TEST(TrainOptions, EveryKeyIsDescribed) {
  for (const std::string method : {"", "clsr"}) {
    for (const Json& row : describe_config(method)) {
      EXPECT_FALSE(row.at("help").get<std::string>().empty()) << row.at("key");
    }
  }
  const Json rows = describe_config("clsr");
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [](const Json& r) { return r.at("key") == "batch_size"; });
  ASSERT_NE(row, rows.end());
  EXPECT_EQ(row->at("default"), 512);
}

}  // namespace
}  // namespace contrastive::run
