// The task "transfer": from files to the report.
#include "core/torch/tasks/transfer/transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/rng.h"
#include "core/eval/evaluate.h"
#include "tests/core/eval/files.h"
#include "tests/test_device.h"
#include "tests/fixtures_folder.h"

namespace contrastive::eval {
namespace {

using ::testing::HasSubstr;

// Class 1 has more letters "a" than class 0; the rest of the text does not matter.
TransferData::Part letters_part(int64_t count, bool pairs, uint64_t seed) {
  TransferData::Part part;
  Rng rng(seed, Purpose::kSubset);
  const auto text = [&](bool extra) {
    std::string letters = extra ? "aaaaaa" : "a";
    for (int i = 0; i < 5; ++i) letters += static_cast<char>('b' + rng.below(4));
    return letters;
  };
  for (int64_t i = 0; i < count; ++i) {
    const bool positive = i < count / 3;
    part.labels.push_back(positive);
    part.first.push_back(text(positive && !pairs));
    if (pairs) part.second.push_back(text(!positive));  // equal counts of "a": positive
  }
  return part;
}

ProtocolOptions quick_protocol() {
  ProtocolOptions options;
  options.kfold = 3;
  options.fit.lr = 0.05;
  options.l2 = {1e-5, 1e-3};
  return options;
}

TEST(Transfer, LearnsEachKindOfTask) {
  for (const TransferProtocol protocol :
       {TransferProtocol::kNestedFolds, TransferProtocol::kFoldsOfTrain,
        TransferProtocol::kGivenDev}) {
    for (const bool pairs : {false, true}) {
      TransferData data{"made",
                        protocol,
                        pairs,
                        2,
                        letters_part(120, pairs, 1),
                        letters_part(40, pairs, 2),
                        letters_part(60, pairs, 3)};
      LetterEncoder encoder;
      if (protocol == TransferProtocol::kNestedFolds && pairs) continue;  // no such task
      const std::vector<TransferScore> scores =
          evaluate_transfer(data, encoder.encoder(), quick_protocol(), {1, 2}, nullptr);
      ASSERT_EQ(scores.size(), 2u);
      EXPECT_LE(encoder.encoded, (pairs ? 2 : 1) * 220) << "encoded once, not once a seed";
      for (const TransferScore& score : scores) {
        EXPECT_GT(score.test, 0.95);
        EXPECT_GT(score.dev, 0.95);
        if (pairs) {
          EXPECT_GT(score.f1, 0.9);
        }
      }
    }
  }
}

const model::SentenceEncoder& model() {
  static const auto loaded =
      model::SentenceEncoder::load(fixtures() + "/models/bert_st", on_test_device());
  return *loaded;
}

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
    return evaluate(model(), "transfer", config, nullptr);
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
  const auto error = [&](std::initializer_list<std::pair<std::string, std::string>> entries) {
    return error_of([&] { run(entries); });
  };
  EXPECT_THAT(error({}).message(), HasSubstr("neither CR/all.tsv nor SentEval's CR/custrev.pos"));
  EXPECT_EQ(error({}).status(), Status::kNotFound);
  EXPECT_EQ(error({{"tasks", "MRR"}}).status(), Status::kArgument);
  EXPECT_EQ(error({{"tasks", "[]"}}).status(), Status::kArgument);
  EXPECT_EQ(error({{"tasks", "MR"}, {"kfold", "1"}}).status(), Status::kArgument);
  EXPECT_THAT(error({{"tasks", "MR"}, {"kfold", "16"}}).message(),
              HasSubstr("no class has more than 15"));
  EXPECT_EQ(error({{"tasks", "MR"}, {"preset", "fast"}}).status(), Status::kArgument);
  EXPECT_EQ(error({{"tasks", "MR"}, {"optimizer", "sgd"}}).status(), Status::kArgument);
  for (const char* bad : {"-1", "x", "nan", "[]"})
    EXPECT_EQ(error({{"tasks", "MR"}, {"l2", bad}}).status(), Status::kArgument) << bad;
  EXPECT_EQ(error({{"tasks", "MR"}, {"data", ""}}).status(), Status::kArgument);
}

}  // namespace
}  // namespace contrastive::eval
