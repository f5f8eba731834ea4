// Errors of a config and the files of a run that check_config() finds before there is a model, with
// the checks of a TrainingRun.
#include "core/torch/run/run_inputs.h"

#include <gmock/gmock.h>

#include <vector>

#include "core/base/error.h"
#include "core/base/log.h"
#include "tests/core/torch/run/toy.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::run {
namespace {

std::shared_ptr<data::Dataset> toy_texts(int64_t n) {
  const auto texts = data::make_dataset();
  for (int64_t i = 0; i < n; ++i) texts->add({"text " + std::to_string(i), "", false});
  return texts;
}

Config of_method(const std::string& method, const std::string& more) {
  Config config = Config::parse(more);
  config.set("method", method);
  return config;
}

void refused_for(const Config& config, const std::shared_ptr<const data::Dataset>& data,
                 Status status, const std::string& part) {
  EXPECT_NO_THROW(check_config(config)) << "it is valid with other examples and files";
  expect_error(status, part, [&] { check_config(config, data); });
}

TEST(RunInputs, AWarmupLongerThanTheExamplesMakeTheRun) {
  const auto three_with = [](const std::string& more) {
    Config config = of_method("simcse", R"({"batch_size": 4, "epochs": 1, "warmup_steps": 3})");
    config.merge(Config::parse(more));
    return config;
  };
  const Config three = three_with("{}");
  refused_for(three, toy_texts(8), Status::kArgument,
              "config key 'warmup_steps' requests a warm-up of 3 updates, but the run has 2");
  EXPECT_NO_THROW(check_config(three, toy_texts(9)));
  const Config apart = of_method("consert", R"({"batch_size": 4, "epochs": 1, "warmup_steps": 3})");
  EXPECT_NO_THROW(check_config(apart, toy_pairs(5))) << "ten separate texts";
  refused_for(three_with(R"({"accumulate": 2})"), toy_texts(16), Status::kArgument, "has 2");
  refused_for(three_with(R"({"few_shot": 8})"), toy_texts(100), Status::kArgument, "has 2");
  refused_for(three_with(R"({"last_batch": "drop"})"), toy_texts(11), Status::kArgument, "has 2");
  refused_for(of_method("simcse",
                        R"({"batch_size": 4, "epochs": 9, "max_steps": 5, "warmup_epochs": 3})"),
              toy_texts(8), Status::kArgument,
              "config key 'warmup_epochs' requests a warm-up of 6 updates");
}

TEST(RunInputs, HowManyBlocksThereAreOnlyATokenizerKnows) {
  const std::string warmup = R"({"warmup_steps": 1000, "clear.blocks": )";
  EXPECT_NO_THROW(check_config(of_method("clear", warmup + "true}"), toy_texts(8)));
  refused_for(of_method("clear", warmup + "false}"), toy_texts(8), Status::kArgument,
              "'warmup_steps'");
}

TEST(RunInputs, ExamplesLackWhatAKeyAsksFor) {
  const Config joint =
      of_method("consert", R"({"consert.mode": "joint", "consert.view2": "adversarial"})");
  refused_for(
      joint, toy_pairs(8), Status::kArgument,
      "config key 'consert.mode' is joint and 'consert.view2' adversarial: method 'consert'");
  refused_for(joint, toy_pairs(8), Status::kArgument, "no label");
  refused_for(joint, toy_texts(8), Status::kArgument, "one text only");
  refused_for(of_method("consert", R"({"consert.mode": "sup"})"), toy_pairs(8), Status::kArgument,
              "'consert.mode' is sup: ");
  refused_for(of_method("simcse", R"({"simcse.positives": "pairs"})"), toy_texts(8),
              Status::kArgument, "'simcse.positives' is pairs");
  refused_for(of_method("sgopt", R"({"sgopt.objective": "bt-sg-opt"})"), toy_texts(8),
              Status::kArgument, "'sgopt.objective' is bt-sg-opt");
  refused_for(of_method("mnrl", "{}"), toy_texts(8), Status::kArgument,
              "method 'mnrl' trains on pairs");
  refused_for(of_method("simcse", "{}"), data::make_dataset(), Status::kArgument, "no examples");
}

TEST(RunInputs, AListWhoseFirstDocumentIsWrongIsNotTakenForAPair) {
  const auto lists = data::make_dataset();
  data::Example example{"question", "right", true};
  example.negatives = {"wrong"};
  example.scores = {1, 0};
  lists->add(example);
  example.scores = {0, 1};
  lists->add(example);
  for (const char* method : {"mnrl", "triplet"}) {
    refused_for(of_method(method, "{}"), lists, Status::kArgument,
                "example 2: a document behind the first has a higher label");
  }
  EXPECT_NO_THROW(check_config(of_method("reranker", R"({"reranker.loss": "listnet"})"), lists))
      << "it needs the labels";
}

TEST(RunInputs, FilesAreLookedAtAndNamedByTheirKeys) {
  const TemporaryFolder folder;
  const std::string one_score = folder.write("dev.tsv", "1\ta\tb\n1\tc\td\n"),
                    absent = folder / "absent";
  refused_for(of_method("simcse", R"({"dev": ")" + absent + "\"}"), toy_texts(8), Status::kNotFound,
              "config key 'dev': " + absent);
  refused_for(of_method("simcse", R"({"dev": ")" + one_score + "\"}"), toy_texts(8),
              Status::kFormat, "config key 'dev': " + one_score);
  refused_for(of_method("simcse", R"({"evaluate.sts.data": ")" + absent + "\"}"), toy_texts(8),
              Status::kNotFound, "config key 'evaluate.sts.data'");
}

TEST(RunInputs, OfEveryStageByTheKeysAsTheyWereGiven) {
  const TemporaryFolder folder;
  const std::string texts = folder.write("texts.txt", "one\ntwo\nthree\nfour\n");
  const auto labelled = data::make_dataset();
  for (int64_t i = 0; i < 8; ++i) {
    data::Example example = toy_pairs(8)->get(i);
    example.label = static_cast<double>(i % 3);
    labelled->add(example);
  }
  const auto staged = [&](const std::string& dataset, const std::string& more = "{}") {
    Config config = of_method("consert", R"({"consert.mode": "sup-unsup", "batch_size": 4})");
    config.set("stage2.dataset", dataset);
    config.merge(Config::parse(more));
    return config;
  };
  EXPECT_NO_THROW(check_config(staged(texts), labelled));
  refused_for(staged(folder / "absent"), labelled, Status::kNotFound,
              "config key 'stage2.dataset': ");
  refused_for(staged(texts), toy_pairs(8), Status::kArgument, "no label");
  refused_for(staged(texts, R"({"stage2.dev": "absent.tsv"})"), labelled, Status::kNotFound,
              "config key 'stage2.dev'");
  const Config late = staged(texts, R"({"stage2.epochs": 1, "stage2.warmup_steps": 2})");
  refused_for(late, labelled, Status::kArgument,
              "config key 'stage2.warmup_steps' requests a warm-up of 2 updates, but the run has 1 "
              "(stage 2)");
  expect_error(Status::kArgument, "config key 'stage2.warmup_steps' requests a warm-up of 2", [&] {
    TrainingRun(tiny_model(), labelled, late);
  });  // before the first stage, not after it
}

TEST(RunInputs, DeviceAndPrecisionOfTheModelAreKeysToo) {
  for (const auto& [json, key] : {std::pair(R"({"device": "cpu", "amp": "float16"})", "'amp'"),
                                  std::pair(R"({"precision": "bfloat16"})", "'precision'"),
                                  std::pair(R"({"precision": "float64"})", "'precision'")}) {
    const std::string config = json;
    expect_error(Status::kArgument, std::string("config key ") + key,
                 [&] { check_config(of_method("simcse", config)); });
  }
  EXPECT_NO_THROW(check_config(of_method("simcse", R"({"amp": "float16"})")))
      << "the model may be loaded on any device";
  EXPECT_NO_THROW(check_config(of_method("simcse", R"({"amp": "float16", "device": "cuda"})")));
  EXPECT_NO_THROW(check_config(of_method("clsr", R"({"precision": "bfloat16"})")))
      << "the encoder is frozen";
  for (const char* method : {"clsr", "simcse"}) {  // a model in int8 could not be saved
    expect_error(Status::kArgument, "config key 'precision' is int8",
                 [&] { check_config(of_method(method, R"({"precision": "int8"})")); });
  }
  model::LoadOptions half = on_test_device();
  half.precision = "bfloat16";
  const auto model = model::SentenceEncoder::load(fixtures() + "/models/bert_st", half);
  expect_error(Status::kArgument, "config key 'precision' is bfloat16",
               [&] { TrainingRun(model, toy_texts(8), of_method("simcse", "{}")); });
}

TEST(RunInputs, ACheckLogsNothing) {
  std::vector<std::string> messages;
  set_log_sink([&](LogLevel, const std::string& message) { messages.push_back(message); },
               LogLevel::kInfo);
  check_config(of_method("simcse", R"({"few_shot": 100})"), toy_texts(8));
  check_config(of_method("clsr", R"({"epochs": 20})"), toy_pairs(600));
  set_log_sink({}, LogLevel::kWarning);
  EXPECT_THAT(messages, ::testing::IsEmpty()) << "the trainer reports it";
}

}  // namespace
}  // namespace contrastive::run
