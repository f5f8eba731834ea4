#include "core/adapt/adapt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/base/log.h"
#include "tests/core/adapt/toy.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::adapt {
namespace {

using ::testing::HasSubstr;

struct Toy {
  TemporaryFolder folder;
  std::shared_ptr<model::SentenceEncoder> model = toy_model();
  std::vector<AdaptPair> texts = toy_pairs(160);
  std::shared_ptr<data::Dataset> pairs = dataset_of(texts), corpus;
  Config config = toy_config();
  std::string output = folder / "adapted";

  Json adapt(const Cancel* cancel = nullptr) const {
    return adapt::adapt({model, model->fingerprint(), *pairs, corpus.get()}, output, config,
                        cancel);
  }
  bool has_output() const { return path_exists(output + "/model.safetensors"); }
  bool has_work() const { return path_exists(output + ".adapting"); }
};

TEST(Adapt, WritesABetterModelAndReportsHowMuchBetter) {
  Toy toy;
  toy.corpus = mining::texts_of({"the old man and the guitar", "a red house", toy.texts[3].positive,
                                 toy.texts[5].positive + "."});
  toy.config.set_json("report", toy.folder / "report");
  const Json report = toy.adapt();
  EXPECT_TRUE(report["shipped"].get<bool>()) << report["reason"];
  EXPECT_TRUE(toy.has_output());
  EXPECT_FALSE(toy.has_work());
  const Json& gain = report["figures"]["ndcg@10"];
  EXPECT_GT(gain["gain"].get<double>(), 0.1);
  EXPECT_GT(gain["low"].get<double>(), 0);
  EXPECT_TRUE(gain["significant"].get<bool>());
  EXPECT_EQ(report["data"]["train"].get<int64_t>() + report["data"]["dev"].get<int64_t>() +
                report["data"]["test"].get<int64_t>() +
                report["data"]["train_near_duplicates"].get<int64_t>() +
                report["data"]["dev_near_duplicates"].get<int64_t>(),
            160);
  EXPECT_EQ(report["data"]["corpus_near_answers"], 1);
  EXPECT_EQ(report["mining"]["sample"].size(), 3u);
  EXPECT_EQ(report["training"]["with_negatives"], report["training"]["rows"]);
  EXPECT_GT(report["examples"]["better_queries"].get<int64_t>(), 0);
  EXPECT_EQ(read_json_file(toy.folder / "report/adapt.json"), report);
  EXPECT_EQ(model::SentenceEncoder::load(toy.output)->dimension(), 32);
}

TEST(Adapt, RefusesPlacesInWhatItReplacesAndLeavesNothing) {
  const Toy toy;
  const auto refused = [&](const char* key, const std::string& place, const char* why,
                           Status status = Status::kArgument) {
    Toy wrong;
    wrong.output = toy.output;
    wrong.config.set_json(key, place);
    expect_error(status, cat("config key '", key, "': ", why), [&] { wrong.adapt(); });
    EXPECT_FALSE(path_exists(toy.output));
    EXPECT_FALSE(toy.has_work());
  };
  refused("report", toy.output, toy.output.c_str());
  refused("report", toy.output + "/report/", toy.output.c_str());
  refused("report", toy.output + ".adapting/report", toy.output.c_str());
  refused("cache", toy.output + "/../adapted/cache", toy.output.c_str());
  refused("metrics_csv", toy.output + "/m.csv", toy.output.c_str());
  refused("metrics_csv", toy.folder / "absent/m.csv", toy.folder.path().c_str(), Status::kNotFound);
}

TEST(Adapt, AWrongKeyOfTheTrainingIsToldBeforeAnythingIsDone) {
  Toy toy;
  toy.config.set_json("report", toy.folder / "report");
  toy.config.set_json("lr", -1);
  expect_error(Status::kArgument, "'lr'", [&] { toy.adapt(); });
  EXPECT_FALSE(toy.has_work());
  EXPECT_FALSE(path_exists(toy.folder / "report"));
}

TEST(Adapt, WritesNoModelThatIsNotBetterEnough) {
  Toy toy;
  toy.config.set_json("min_gain", 0.99);
  const Json report = toy.adapt();
  EXPECT_FALSE(report["shipped"].get<bool>());
  EXPECT_THAT(report["reason"].get<std::string>(), HasSubstr("below min_gain"));
  EXPECT_FALSE(path_exists(toy.output));
  EXPECT_FALSE(toy.has_work());
}

TEST(Adapt, TheSameSeedGivesTheSameReport) {
  Toy toy;
  const Json first = toy.adapt();
  EXPECT_EQ(toy.adapt()["figures"], first["figures"]);
  toy.config.set_json("seed", 2);
  EXPECT_NE(toy.adapt()["figures"], first["figures"]);
}

// Starts, and is cancelled at the log message `when`.
void stop_at(Toy& toy, const std::string& when) {
  Cancel cancel;
  set_log_sink(
      [&](LogLevel, const std::string& message) {
        if (message.find(when) != std::string::npos) cancel.trigger();
      },
      LogLevel::kInfo);
  SCOPED_TRACE(when);
  expect_error(Status::kCancelled, "cancelled", [&] { toy.adapt(&cancel); });
  set_log_sink({}, LogLevel::kWarning);
}

// Stops at the log message `when`; the same call then resumes.
void stop_and_go_on(const std::string& when) {
  Toy toy;
  const Json whole = toy.adapt();
  toy.output = toy.folder / "stopped";
  stop_at(toy, when);
  std::vector<std::string> said;
  set_log_sink([&](LogLevel, const std::string& message) { said.push_back(message); },
               LogLevel::kInfo);
  EXPECT_FALSE(toy.has_output());
  EXPECT_TRUE(toy.has_work());
  const Json report = toy.adapt();
  set_log_sink({}, LogLevel::kWarning);
  EXPECT_THAT(said, ::testing::Contains(HasSubstr("step split was done before"))) << when;
  EXPECT_EQ(report["figures"], whole["figures"]) << when;
  EXPECT_TRUE(toy.has_output());
}

TEST(Adapt, ACancelledCallGoesOnAtEveryStep) {
  for (const char* when : {"the model as it is searches", "hard negatives are mined",
                           "adapt: 15 of", "the trained model searches"})
    stop_and_go_on(when);
}

TEST(Adapt, ADamagedStepIsCorrupt) {
  Toy toy;
  stop_at(toy, "hard negatives are mined");
  const std::string path = toy.output + ".adapting/before.done.json";
  const std::string good = read_file(path, 1 << 20);
  const size_t list = good.find("\"firsts\":"), first = good.find_first_of("0123456789", list);
  ASSERT_NE(list, std::string::npos);
  std::ofstream(path) << good.substr(0, first) << "123456789" << good.substr(first);
  expect_error(Status::kCorrupt, "before.done.json: names document 123456789",
               [&] { toy.adapt(); });
  std::ofstream(path) << good;
  EXPECT_NO_THROW(toy.adapt());
}

TEST(Adapt, OtherInputsThanThoseItWasBegunWithAreRefused) {
  Toy toy;
  stop_at(toy, "adapt: 3 of");
  const Config config = toy.config;
  toy.config.set_json("lr", 0.001);
  expect_error(Status::kMismatch, "step 'train' was begun with another lr", [&] { toy.adapt(); });
  toy.config = config;
  toy.pairs = dataset_of(toy_pairs(161));
  expect_error(Status::kMismatch, "begun with another pairs", [&] { toy.adapt(); });
  toy.pairs = dataset_of(toy.texts);
  toy.config.set_json("min_gain", 0.9);  // keys that only affect the decision may change
  EXPECT_FALSE(toy.adapt()["shipped"].get<bool>());
}

TEST(Adapt, PairsWithoutANegativeAreTrainedOnAsTheyAre) {
  Toy toy;
  toy.config.set_json("mining.relative_margin", 0.0);
  toy.config.set_json("mining.range_max", 2);
  const Json report = toy.adapt();
  EXPECT_LT(report["training"]["with_negatives"].get<int64_t>(),
            report["training"]["rows"].get<int64_t>());
  EXPECT_THAT(report["warnings"].dump(), HasSubstr("no negative was left for them"));
  toy.config.set_json("mine", false);
  const Json plain = toy.adapt();
  EXPECT_TRUE(plain["mining"].is_null());
  EXPECT_EQ(plain["training"]["with_negatives"], 0);
}

TEST(Adapt, MistakesAreToldAndLeaveNothing) {
  Toy toy;
  toy.pairs = dataset_of(toy_pairs(30));
  expect_error(Status::kArgument, "at least 100 are needed", [&] { toy.adapt(); });
  EXPECT_FALSE(toy.has_work());
  toy.pairs = mining::texts_of({"one", "two"});
  expect_error(Status::kArgument, "a text without a second one", [&] { toy.adapt(); });
  toy.pairs = dataset_of(toy.texts);
  toy.corpus = data::make_dataset();
  expect_error(Status::kArgument, "the corpus has no text", [&] { toy.adapt(); });
  toy.corpus = nullptr;
  toy.config.set_json("mining.absolute_margin", 3);
  expect_error(Status::kArgument, "no negative is left", [&] { toy.adapt(); });
  toy.config.erase("mining.absolute_margin");
  EXPECT_TRUE(toy.adapt()["shipped"].get<bool>()) << "a margin that left nothing may be corrected";
  toy.output = "";
  expect_error(Status::kArgument, "the output has no name", [&] { toy.adapt(); });
}

TEST(Adapt, WhatWouldFailAfterHoursFailsAtOnce) {
  Toy toy;
  toy.config.set("amp", "float16");
  expect_error(Status::kArgument, "which needs a CUDA device", [&] { toy.adapt(); });
  EXPECT_FALSE(path_exists(toy.output + ".adapting/before.done.json"))
      << "before anything is embedded";
  toy.config.erase("amp");
  toy.output = toy.folder.write("a-file", "x");
  expect_error(Status::kIo, "a-file: is a file", [&] { toy.adapt(); });
  EXPECT_FALSE(toy.has_work());
}

TEST(Adapt, OtherMeasuresTakeTheVectorsAsTheModelGivesThem) {
  Toy toy;
  toy.config.set("similarity", "dot");
  const Json dot = toy.adapt();
  toy.output = toy.folder / "euclidean";
  toy.config.set("similarity", "euclidean");
  EXPECT_NE(toy.adapt()["figures"]["ndcg@10"]["before"], dot["figures"]["ndcg@10"]["before"]);
}

// The report counts rows with an empty text, no matter whether the file or the adaptation left them
// out; the log mentions each once.
TEST(Adapt, CountsWhatTheFilesLeftOut) {
  Toy toy;
  std::string lines = "\n";
  for (const AdaptPair& pair : toy.texts) lines += pair.anchor + "\t" + pair.positive + "\n";
  const std::string pairs =
      toy.folder.write("pairs.tsv", lines + "a query without an answer\t\nanother one\t \n");
  const std::string corpus = toy.folder.write("corpus.txt", "a red house\n\n\nthe winter sings\n");
  std::vector<std::string> said;
  set_log_sink([&](LogLevel, const std::string& message) { said.push_back(message); },
               LogLevel::kWarning);
  toy.pairs = data::open_dataset(pairs, {});
  toy.corpus = data::open_dataset(corpus, {});
  const Json report = toy.adapt();
  set_log_sink({}, LogLevel::kWarning);
  const Json& data = report["data"];
  EXPECT_EQ(data["pairs"], 163);
  EXPECT_EQ(data["empty"], 3);
  EXPECT_EQ(data["corpus"], 4);
  EXPECT_EQ(data["corpus_empty"], 2);
  EXPECT_EQ(report["mining"]["input"]["empty_documents"], 0)
      << "mining got the rows that were left";
  const std::string warnings = report["warnings"].dump();
  EXPECT_THAT(warnings,
              HasSubstr(R"({"count":3,"what":"pairs are left out: one of their texts is empty"})"));
  EXPECT_THAT(warnings,
              HasSubstr(R"({"count":2,"what":"empty documents of the corpus are left out"})"));
  EXPECT_THAT(said, ::testing::Contains(HasSubstr("pairs.tsv: 2 lines with an empty text")));
  EXPECT_THAT(said, ::testing::Contains(HasSubstr("adapt: 1 pairs are left out")));
  EXPECT_THAT(said, ::testing::Not(::testing::Contains(HasSubstr("empty documents"))));
}

TEST(Adapt, ADevFileStandsInForTheDevPart) {
  Toy toy;
  std::string lines;
  for (const AdaptPair& pair : toy_pairs(30)) lines += pair.anchor + "\t" + pair.positive + "\n";
  toy.config.set_json("dev", toy.folder.write("dev.tsv", lines));
  const Json report = toy.adapt();
  EXPECT_EQ(report["data"]["dev"], 30);
  EXPECT_GE(report["data"]["train_near_duplicates"].get<int64_t>(), 20)
      << "the pairs include those of the dev file";
}

}  // namespace
}  // namespace contrastive::adapt
