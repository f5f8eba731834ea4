// What a run writes while it runs (checkpoints, tables, figures of its vectors), and unusual shapes
// of data.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "core/base/error.h"
#include "core/torch/run/training_run.h"
#include "tests/core/torch/run/dev_pairs.h"
#include "tests/core/torch/run/warnings_of.h"
#include "tests/core/torch/run/toy.h"
#include "tests/temporary_folder.h"
#include "tests/expect_error.h"

namespace contrastive::run {
namespace {

using ::testing::HasSubstr;

TEST(TrainerRecords, RecordsThatCannotBeWrittenDoNotEndTheRun) {
  const TemporaryFolder folder;
  const auto trainer =
      toy_trainer(R"({"max_steps": 4, "metrics_file": "/dev/full", "metrics_csv": ")" +
                  folder / "m.csv" + "\"}");
  const auto warnings = warnings_of([&] { finish(*trainer); });
  EXPECT_EQ(trainer->metric("step"), 4);
  EXPECT_EQ(trainer->metric("failed_lines"), 4);
  ASSERT_EQ(warnings.size(), 1u) << "warned once";
  EXPECT_THAT(warnings[0], ::testing::AllOf(HasSubstr("/dev/full"), HasSubstr("failed_lines")));
  std::ifstream table(folder / "m.csv");
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(table), {}, '\n'), 5)
      << "the other file has its header and four lines";
  expect_error(Status::kIo, "the metrics file", [&] {
    toy_trainer(R"({"metrics_file": ")" + folder / "absent/m.jsonl" + "\"}");
  });  // before the first update
}

// A repeated figure would look like a measurement of that line's update.
TEST(TrainerRecords, ALineHasWhatWasMeasuredSinceTheLineBefore) {
  const TemporaryFolder folder;
  const std::string files = R"(, "metrics_file": ")" + folder / "m.jsonl" +
                            R"(", "metrics_csv": ")" + folder / "m.csv" + "\"}";
  finish(*toy_trainer(R"({"max_steps": 6, "watch_every": 4, "eval_every": 3, "dev": ")" +
                      dev_pairs(folder) + "\"" + files));
  std::ifstream lines(folder / "m.jsonl");
  std::vector<int> looked, scored;
  for (std::string line; std::getline(lines, line);) {
    const Json record = parse_json(line, "record");
    const int step = record.at("step");
    EXPECT_TRUE(record.at("loss").is_number() && record.at("lr").is_number() &&
                record.at("tokens_per_second").is_number());
    if (record.at("view.effective_rank").is_number()) looked.push_back(step);
    if (record.contains("dev") && record.at("dev").is_number()) scored.push_back(step);
  }
  EXPECT_THAT(looked, ::testing::ElementsAre(1, 5, 6)) << "before updates 0 and 4, and at the last";
  EXPECT_THAT(scored, ::testing::ElementsAre(3, 6));
  std::ifstream table(folder / "m.csv");
  int ranks = 0;
  const int column = [&] {
    std::string header;
    std::getline(table, header);
    const size_t place = header.find("view.effective_rank");
    return static_cast<int>(
        std::count(header.begin(), header.begin() + static_cast<std::ptrdiff_t>(place), ','));
  }();
  for (std::string row, cell; std::getline(table, row);) {
    std::istringstream cells(row);
    for (int i = 0; i <= column; ++i) std::getline(cells, cell, ',');
    ranks += cell.empty() ? 0 : 1;
  }
  EXPECT_EQ(ranks, 3);
}

TEST(TrainerRecords, ARunThatPausesBetweenTwoLinesWritesTheSameOnes) {
  const TemporaryFolder folder;
  const auto config = [&](const std::string& file) {
    return R"({"max_steps": 8, "metrics_every": 4, "watch_every": 3, "eval_at_start": true, "eval_every": 100, "dev": ")" +
           dev_pairs(folder) + R"(", "metrics_file": ")" + folder / file + "\"}";
  };
  const auto figures = [&](const std::string& file) {
    std::vector<std::pair<Json, Json>> figures;
    std::ifstream lines(folder / file);
    for (std::string line; std::getline(lines, line);) {
      const Json record = parse_json(line, "record");
      figures.emplace_back(record.value("dev", Json()),
                           record.value("view.effective_rank", Json()));
    }
    return figures;
  };
  finish(*toy_trainer(config("whole")));
  const auto paused = toy_trainer(config("parts"));
  paused->step();
  paused->save(folder / "run");  // the dev score of the start and the first figures of the watch
                                 // are in no line yet
  finish(*TrainingRun::resume(folder / "run", tiny_model(), toy_pairs(50), {}));
  EXPECT_EQ(figures("parts"), figures("whole"));
  ASSERT_EQ(figures("whole").size(), 2u);
  EXPECT_TRUE(figures("whole")[0].first.is_number());
}

TEST(TrainerRecords, WritesATableWithLossTermsAndVectors) {
  const TemporaryFolder folder;
  const auto trainer = toy_trainer(R"({"max_steps": 4, "watch_every": 2, "metrics_csv": ")" +
                                   folder / "m.csv" + "\"}");
  finish(*trainer);
  std::ifstream file(folder / "m.csv");
  std::string header, first;
  std::getline(file, header);
  std::getline(file, first);
  for (const char* column : {"step,epoch,loss,lr,grad_norm", "loss.contrastive",
                             "tokens_per_second", "view.effective_rank", "view.uniformity"}) {
    EXPECT_THAT(header, HasSubstr(column));
  }
  EXPECT_EQ(std::count(first.begin(), first.end(), ','),
            std::count(header.begin(), header.end(), ','));
  int rows = 1;
  while (std::getline(file, first)) ++rows;
  EXPECT_EQ(rows, 4);
  EXPECT_GT(trainer->metric("view.effective_rank"), 1);
  EXPECT_LE(trainer->metric("view.effective_rank"), 8);
  EXPECT_GE(trainer->metric("view.alignment"), 0);
  EXPECT_EQ(trainer->metric("collapsed"), 0);
}

// Its views are of all layers, the sentence vectors of the last one.
TEST(TrainerRecords, TheViewsOfSgOptHaveFigures) {
  TrainingRun trainer(tiny_model(), toy_pairs(8),
                      toy_config(R"({"sgopt.head_width": 16, "max_steps": 3})", "sgopt"));
  trainer.step();
  for (const char* name :
       {"view.alignment", "view.uniformity", "view.mean_cosine", "view.effective_rank"}) {
    EXPECT_TRUE(std::isfinite(trainer.metric(name))) << name;
  }
}

TEST(TrainerRecords, ALastBatchOfOneIsKeptOrDropped) {
  const auto kept = toy_trainer(R"({"last_batch": "keep", "max_steps": 2, "warmup_steps": 0})", 9);
  const auto warnings = warnings_of([&] {
    kept->step();
    EXPECT_GT(kept->metric("loss"), 0);
    EXPECT_EQ(kept->step(), Status::kOk);
  });
  EXPECT_EQ(kept->metric("loss"), 0);
  EXPECT_EQ(kept->metric("grad_norm"), 0);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("no negatives"));
  EXPECT_EQ(toy_trainer(R"({"last_batch": "drop"})", 9)->metric("steps_per_epoch"), 1);
  EXPECT_EQ(toy_trainer(R"({"last_batch": "keep"})", 9)->metric("steps_per_epoch"), 2);
}

TEST(TrainerRecords, AForeignTableIsRefusedBeforeTheTraining) {
  const TemporaryFolder folder;
  expect_error(Status::kArgument, "config key 'metrics_csv'", [&] {
    toy_trainer(R"({"metrics_csv": ")" + folder.write("m.csv", "name,price\n") + "\"}");
  });
}

TEST(TrainerRecords, FewShotBeyondTheDataIsSaid) {
  const auto more = warnings_of([] { toy_trainer(R"({"few_shot": 51})"); });
  ASSERT_EQ(more.size(), 1u);
  EXPECT_THAT(more[0], HasSubstr("requests 51 examples, but the dataset has 50"));
  const auto once = warnings_of([] { toy_trainer(R"({"few_shot": 30, "upsample": true})"); });
  ASSERT_EQ(once.size(), 1u);
  EXPECT_THAT(once[0], HasSubstr("'upsample' repeats nothing"));
}

TEST(TrainerRecords, AnErrorInTheDevFileNamesItsKey) {
  const TemporaryFolder folder;
  for (const auto& [status, path, part] :
       {std::tuple(Status::kNotFound, folder / "none.tsv", "none.tsv: the dev file is not there"),
        std::tuple(Status::kFormat, folder.write("one.tsv", "a\n"),
                   "one.tsv:1: a dev file has lines")}) {
    const std::string message = expect_error(status, part, [&, path = path] {
      toy_trainer(cat(R"({"dev": ")", path, "\"}"));
    });
    EXPECT_THAT(message, ::testing::StartsWith("config key 'dev': "));
  }
}

TEST(TrainerRecords, HardNegativesThatTheMethodDoesNotTakeAreSaid) {
  const auto warnings = [](const std::string& method) {
    const auto data = data::make_dataset();
    for (const char* name : {"one", "two"}) {
      data::Example example;
      example.a = example.b = name;
      example.has_b = true;
      example.negatives = {"three"};
      data->add(example);
    }
    return warnings_of([&] { TrainingRun(tiny_model(), data, toy_config("{}", method)); });
  };
  ASSERT_EQ(warnings("consert").size(), 1u);
  EXPECT_THAT(warnings("consert")[0], HasSubstr("method 'consert' does not use them"));
  EXPECT_TRUE(warnings("mnrl").empty());
}

TEST(TrainerRecords, AnotherDimensionIsSaid) {
  const auto warnings = [](const std::string& method) {
    TrainingRun trainer(tiny_model(), toy_pairs(4), toy_config("{}", method));
    return warnings_of([&] { trainer.result(false); });
  };
  ASSERT_EQ(warnings("clsr").size(), 1u);
  EXPECT_THAT(warnings("clsr")[0],
              HasSubstr("the model that the training began with have 32: the method uses another"));
  EXPECT_TRUE(warnings("mnrl").empty());
}

TEST(TrainerRecords, FewerTextsThanABatchAreOneSmallerBatch) {
  for (const char* negatives : {"micro", "global"}) {
    Config config = toy_config(cat(
        R"({"batch_size": 64, "accumulate": 3, "epochs": 2, "warmup_ratio": 0.1, "negatives": ")",
        negatives, "\"}"));
    for (const char* key : {"max_steps", "warmup_steps"}) config.erase(key);
    TrainingRun trainer(tiny_model(), toy_pairs(5), config);
    EXPECT_EQ(trainer.metric("steps_per_epoch"), 1);
    EXPECT_EQ(trainer.metric("total_steps"), 2);
    trainer.step();
    EXPECT_EQ(trainer.metric("lr"), 0) << "the warm-up has at least one update";
    trainer.step();
    EXPECT_GT(trainer.metric("lr"), 0);
    EXPECT_TRUE(std::isfinite(trainer.metric("loss")));
  }
}

TEST(TrainerRecords, FewShotTrainsOnASample) {
  const auto few = toy_trainer(R"({"few_shot": 10, "last_batch": "keep"})"),
             filled = toy_trainer(R"({"few_shot": 10, "upsample": true})");
  EXPECT_EQ(few->metric("steps_per_epoch"), 2);
  EXPECT_EQ(filled->metric("steps_per_epoch"), 6);
  EXPECT_EQ(few->step(), Status::kOk);
}

TEST(TrainerRecords, ContradictionsNameTheKeyBeforeTheModelIsTouched) {
  const auto refused = [](const std::string& json, const std::string& part) {
    expect_error(Status::kArgument, part,
                 [&] { TrainingRun(nullptr, toy_pairs(4), toy_config(json)); });
  };
  refused(R"({"save_every": 5})", "'save_every' needs a folder");
  refused(R"({"keep": 5})", "'keep' needs a folder");
  refused(R"({"amp": "float16", "device": "cpu"})", "'amp'");
  refused(R"({"amp": "half"})", "'amp'");
  refused(R"({"upsample": true})", "'upsample'");
  refused(R"({"warmup_steps": 30, "max_steps": 20})", "'warmup_steps'");
  refused(R"({"negatives": "all"})", "'negatives'");
  refused(R"({"data_threads": -1})", "'data_threads'");
  if (test_device() == "cpu") {
    expect_error(Status::kArgument, "config key 'amp' is float16, which needs a CUDA device",
                 [&] { toy_trainer(R"({"amp": "float16"})"); });
  }
}

TEST(TrainerRecords, AnUpdateInPartsResumesInTheMiddleOfAnEpoch) {
  const TemporaryFolder folder;
  const std::string more =
      R"({"batch_size": 3, "accumulate": 3, "negatives": "global", "amp": "bfloat16"})";
  const auto whole = toy_trainer(more);
  for (int i = 0; i < 8; ++i) whole->step();
  whole->save(folder / "run");
  const auto resumed = TrainingRun::resume(folder / "run", tiny_model(), toy_pairs(50), {});
  finish(*whole);
  finish(*resumed);
  EXPECT_EQ(whole->metric("loss"), resumed->metric("loss"));
  EXPECT_EQ(whole->trained(false)->fingerprint(), resumed->trained(false)->fingerprint());
}

}  // namespace
}  // namespace contrastive::run
