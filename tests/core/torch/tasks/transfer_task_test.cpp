#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/rng.h"
#include "core/eval/evaluate.h"
#include "tests/core/eval/files.h"
#include "tests/core/eval/tasks.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

class TransferTask : public testing::Test {
 protected:
  void SetUp() override {
    std::string all, train;
    for (int i = 0; i < 30; ++i) {
      all += cat(i % 2, "\t", i % 2 == 1 ? "the cat sat" : "stock markets fell", " ", i, "\n");
      train += cat(i % 2, "\tthe cat sat ", i, "\t",
                   i % 2 == 1 ? "the cat sat " : "stock markets fell ", i, "\n");
    }
    std::filesystem::create_directories(folder_.path() + "/MR");
    std::filesystem::create_directories(folder_.path() + "/MRPC");
    folder_.write("MR/all.tsv", all);
    folder_.write("MRPC/train.tsv", train);
    folder_.write("MRPC/test.tsv", train);
  }
  Json run(std::initializer_list<std::pair<std::string, std::string>> entries) const {
    Config config;
    config.set("data", folder_.path());
    config.set("kfold", "3");
    config.set("l2", "1e-4,1e-3");
    config.set("max_epoch", "20");
    for (const auto& [key, value] : entries) config.set(key, value);
    return evaluate(encoder(), "transfer", config, nullptr);
  }
  TemporaryFolder folder_;
};

TEST_F(TransferTask, GivesTheStableForm) {
  const Json report = run({{"tasks", "MR,MRPC"}, {"lr", "0.1"}});
  ASSERT_EQ(report["tasks"].size(), 2u);
  EXPECT_GE(report["tasks"]["MR"]["test"].get<double>(), 0.9);
  EXPECT_GE(report["tasks"]["MR"]["dev"].get<double>(), 0.9);
  EXPECT_FALSE(report["tasks"]["MR"].contains("f1"));
  EXPECT_EQ(report["tasks"]["MR"]["train_examples"], 30);
  EXPECT_GE(report["tasks"]["MRPC"]["f1"].get<double>(), 0.9);
  const double sum =
      report["tasks"]["MR"]["test"].get<double>() + report["tasks"]["MRPC"]["test"].get<double>();
  EXPECT_NEAR(report["average"].get<double>(), sum / 2, 1e-12);
  EXPECT_EQ(report["runs"], 1);
  const Json several = run({{"tasks", "[\"MR\"]"}, {"seeds", "1,2,3"}});
  EXPECT_EQ(several["runs"], 3);
  for (const char* key : {"dev_std", "test_std"})
    EXPECT_TRUE(several["tasks"]["MR"][key].is_number()) << key;
  EXPECT_TRUE(several["average_std"].is_number());
}

// A preset determines keys that are not set; a key that is set has priority.
TEST_F(TransferTask, PresetsAreOnlyDefaults) {
  EXPECT_EQ(run({{"tasks", "MR"}, {"preset", "sg-opt"}, {"max_epoch", "0"}})["runs"], 8);
  EXPECT_EQ(
      run({{"tasks", "MR"}, {"preset", "sg-opt"}, {"seeds", "5"}, {"max_epoch", "0"}})["runs"], 1);
  const auto same = [&](std::initializer_list<std::pair<std::string, std::string>> a,
                        std::initializer_list<std::pair<std::string, std::string>> b) {
    return run(a) == run(b);
  };
  // One pass over noise, where every setting has an effect.
  std::string noise;
  Rng rng(1, Purpose::kSubset);
  for (int i = 0; i < 240; ++i)
    noise += cat(rng.below(2), "\tthe cat ", rng.below(100000), " sat\n");
  folder_.write("MR/all.tsv", noise);
  EXPECT_TRUE(same({{"tasks", "MR"}, {"preset", "prototyping"}}, {{"tasks", "MR"},
                                                                  {"optimizer", "rmsprop"},
                                                                  {"batch_size", "128"},
                                                                  {"tenacity", "3"},
                                                                  {"epoch_size", "2"}}));
  EXPECT_FALSE(same({{"tasks", "MR"}, {"preset", "prototyping"}},
                    {{"tasks", "MR"}, {"preset", "prototyping"}, {"optimizer", "adam"}}));
}

TEST_F(TransferTask, RefusesWhatItCannotDo) {
  const auto attempt = [&](std::initializer_list<std::pair<std::string, std::string>> entries) {
    run(entries);
  };
  expect_error(Status::kNotFound, "neither CR/all.tsv nor SentEval's CR/custrev.pos",
               [&] { attempt({}); });
  expect_error(Status::kArgument, "unknown transfer task 'MRR'; did you mean 'MR'?",
               [&] { attempt({{"tasks", "MRR"}}); });
  expect_error(Status::kArgument, "tasks is an empty list", [&] { attempt({{"tasks", "[]"}}); });
  expect_error(Status::kArgument, "config key 'kfold' must be a whole number from 2",
               [&] { attempt({{"tasks", "MR"}, {"kfold", "1"}}); });
  expect_error(Status::kArgument, "no class has more than 15",
               [&] { attempt({{"tasks", "MR"}, {"kfold", "16"}}); });
  expect_error(Status::kArgument, "config key 'preset': unknown value 'fast'",
               [&] { attempt({{"tasks", "MR"}, {"preset", "fast"}}); });
  expect_error(Status::kArgument, "config key 'optimizer': unknown value 'sgd'",
               [&] { attempt({{"tasks", "MR"}, {"optimizer", "sgd"}}); });
  for (const char* bad : {"-1", "x", "nan", "[]"}) {
    SCOPED_TRACE(bad);
    expect_error(Status::kArgument, "config key 'l2'",
                 [&] { attempt({{"tasks", "MR"}, {"l2", bad}}); });
  }
  expect_error(Status::kArgument, "data is not set",
               [&] { attempt({{"tasks", "MR"}, {"data", ""}}); });
}

}  // namespace
}  // namespace contrastive::eval
