#include "core/adapt/adapt_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/mining/tables.h"
#include "tests/expect_error.h"

namespace contrastive::adapt {
namespace {

TEST(AdaptOptions, KeysGoWhereTheyBelong) {
  const AdaptConfig config = read_adapt_config(Config::parse(
      R"({"seed": 7, "min_gain": 0.01, "mining.num_negatives": 4, "query_prompt": "q: ", "lr": 1e-5, "mnrl.scale": 30, "data.header": true})"));
  EXPECT_EQ(config.options.seed, 7);
  EXPECT_EQ(config.options.min_gain, 0.01);
  EXPECT_EQ(config.options.mining.num_negatives, 4);
  EXPECT_EQ(config.options.mining.seed, 7);
  EXPECT_EQ(config.options.mining.query_prompt, "q: ");
  EXPECT_EQ(config.training.keys(), (std::vector<std::string>{"lr", "mnrl.scale"}));
  EXPECT_EQ(config.data.keys(), std::vector<std::string>{"data.header"});
  EXPECT_EQ(read_adapt_config({}).options.mining.num_negatives, 1);
}

TEST(AdaptOptions, UnknownKeysAndThoseThatAnAdaptationDecidesAreRefused) {
  expect_error(Status::kArgument, "min_gain",
               [&] { read_adapt_config(Config::parse(R"({"min_gian": 1})")); });
  expect_error(Status::kArgument, "mining.range_max",
               [&] { read_adapt_config(Config::parse(R"({"mining.range_mx": 1})")); });
  expect_error(Status::kArgument, "mining.cache",
               [&] { read_adapt_config(Config::parse(R"({"mining.cache": "x"})")); });
  expect_error(Status::kArgument, "save_every",
               [&] { read_adapt_config(Config::parse(R"({"checkpoints": "x"})")); });
  expect_error(Status::kArgument, "metric",
               [&] { read_adapt_config(Config::parse(R"({"evaluate.sts.data": "x"})")); });
  expect_error(Status::kArgument, "one process",
               [&] { read_adapt_config(Config::parse(R"({"dist.mode": "env"})")); });
  expect_error(Status::kArgument, "trains on its pairs alone",
               [&] { read_adapt_config(Config::parse(R"({"task2.dataset": "x"})")); });
  expect_error(Status::kArgument, "measures before its first update",
               [&] { read_adapt_config(Config::parse(R"({"eval_at_start": true})")); });
  expect_error(Status::kArgument, "metric",
               [&] { read_adapt_config(Config::parse(R"({"metric": "ndcg@11"})")); });
  expect_error(Status::kArgument, "nothing to train on", [&] {
    read_adapt_config(Config::parse(R"({"test_share": 0.6, "dev_share": 0.4})"));
  });
  expect_error(Status::kArgument, "mnrl",
               [&] { read_adapt_config(Config::parse(R"({"method": "mnlr"})")); });
  expect_error(Status::kArgument, "near_duplicate",
               [&] { read_adapt_config(Config::parse(R"({"near_duplicate": 0})")); });
}

TEST(AdaptOptions, RerankersAreNeitherTakenNorOffered) {
  expect_error(Status::kArgument, "an adaptation trains sentence encoders", [&] {
    read_adapt_config(Config::parse(R"({"method": "reranker", "dev": "some.tsv"})"));
  });
  expect_error(Status::kArgument, "contrastive train --method reranker",
               [&] { read_adapt_config(Config::parse(R"({"method": "reranker"})")); });
  std::vector<std::string> offered;
  const Json rows = describe_adapt_config();
  for (const Json& row : rows) {
    if (row["key"] == "method") offered = row["values"].get<std::vector<std::string>>();
    EXPECT_NE(row["key"].get<std::string>().rfind("reranker.", 0), 0u) << row["key"];
  }
  EXPECT_THAT(offered, ::testing::Contains("mnrl"));
  EXPECT_THAT(offered, ::testing::Not(::testing::Contains("reranker")));
}

TEST(AdaptOptions, TheRunIsAsLongAsThePairsNeed) {
  const AdaptConfig config = read_adapt_config({});
  const auto number = [&](int64_t rows, const char* key) {
    return training_defaults(config, rows).find(key)->get<int64_t>();
  };
  EXPECT_EQ(number(640, "epochs"), 20) << "10 updates each";
  EXPECT_EQ(number(64, "epochs"), 20) << "no more, even for very few pairs";
  EXPECT_EQ(number(1000000, "epochs"), 3);
  EXPECT_EQ(number(640, "eval_every"), 20);
  const Config short_run =
      training_defaults(read_adapt_config(Config::parse(R"({"max_steps": 25})")), 640);
  EXPECT_FALSE(short_run.has("epochs"));
  EXPECT_EQ(*short_run.find("eval_every"), 3);
  EXPECT_FALSE(
      training_defaults(read_adapt_config(Config::parse(R"({"eval_each_epoch": true})")), 640)
          .has("eval_every"));
  const Config whole =
      training_defaults(read_adapt_config(Config::parse(R"({"max_steps": 0})")), 640);
  EXPECT_EQ(*whole.find("epochs"), 20) << "max_steps = 0 sets no end";
  EXPECT_EQ(*whole.find("eval_every"), 20);
  const Config both =
      training_defaults(read_adapt_config(Config::parse(R"({"max_steps": 100000, "epochs": 3})")),
                        640);
  EXPECT_EQ(*both.find("eval_every"), 3) << "the run ends at the smaller of both";
}

TEST(AdaptOptions, ItsKeysComeBackFromTheirOwnDump) {
  const AdaptOptions options =
      read_adapt_config(Config::parse(R"({"seed": 7, "mining.num_negatives": 4})")).options;
  EXPECT_EQ(read_adapt_config(options.dump()).options.dump().to_json(), options.dump().to_json());
}

TEST(AdaptOptions, PromptsOfTheSearchAreThoseOfTheTraining) {
  const Config training =
      training_defaults(read_adapt_config(Config::parse(
                            R"({"query_prompt": "query: ", "document_prompt": "passage: "})")),
                        100);
  EXPECT_EQ(*training.find("mnrl.anchor_prompt"), "query: ");
  EXPECT_EQ(*training.find("mnrl.candidate_prompt"), "passage: ");
  EXPECT_EQ(*training.find("mnrl.false_negatives"), "mask");
}

TEST(AdaptOptions, TheTopicListsEveryKeyOnce) {
  const Json rows = describe_adapt_config();
  std::vector<std::string> keys;
  for (const Json& row : rows) keys.push_back(row["key"]);
  for (const char* key :
       {"min_gain", "mining.range_max", "lr", "mnrl.scale", "epochs", "similarity"})
    EXPECT_THAT(keys, ::testing::Contains(key));
  for (const char* key : {"checkpoints", "dev_select", "mining.seed", "mining.cache", "dist.mode"})
    EXPECT_THAT(keys, ::testing::Not(::testing::Contains(key)));
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

}  // namespace
}  // namespace contrastive::adapt
