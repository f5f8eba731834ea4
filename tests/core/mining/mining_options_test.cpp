#include "core/mining/mining_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/mining/tables.h"
#include "tests/expect_error.h"

namespace contrastive::mining {
namespace {

TEST(MiningOptions, HaveTheDefaultsThatTheHelpSays) {
  const MiningOptions options = read_mining_options(Config());
  EXPECT_EQ(options.relative_margin, 0.05);
  EXPECT_TRUE(options.has_relative_margin());
  EXPECT_FALSE(options.has_absolute_margin() || options.has_max_score() || options.has_min_score());
  EXPECT_EQ(options.num_negatives, 3);
}

TEST(MiningOptions, RefuseWhatCannotBe) {
  expect_error(Status::kArgument, "did you mean 'num_negatives'",
               [&] { read_mining_options(Config::parse(R"({"num_negativs": 2})")); });
  expect_error(Status::kArgument, "no rank lies between",
               [&] { read_mining_options(Config::parse(R"({"range_min": 5, "range_max": 5})")); });
  expect_error(Status::kArgument, "raise range_max",
               [&] { read_mining_options(Config::parse(R"({"range_min": 5, "range_max": 7})")); });
  expect_error(Status::kArgument, "is above 'max_score'", [&] {
    read_mining_options(Config::parse(R"({"min_score": 0.5, "max_score": 0.4})"));
  });
  expect_error(Status::kArgument, "'num_negatives' must be a whole number from 1",
               [&] { read_mining_options(Config::parse(R"({"num_negatives": 0})")); });
  expect_error(Status::kArgument, "unknown value 'best'",
               [&] { read_mining_options(Config::parse(R"({"sampling_strategy": "best"})")); });
  EXPECT_NO_THROW(read_mining_options(Config::parse(R"({"range_min": 4, "num_negatives": 3})")));
}

TEST(MiningOptions, ChooseTheLastRank) {
  MiningOptions options;
  EXPECT_EQ(options.last_rank(2, false), 32);
  options.relative_margin = -kNoBound;
  EXPECT_EQ(options.last_rank(2, false), 32) << "texts that equal a positive are left out";
  options.equal_texts = EqualTexts::kExact;
  options.range_min = 4;
  EXPECT_EQ(options.last_rank(2, false), 9);
  options.min_score = 0.1;
  EXPECT_EQ(options.last_rank(2, false), 9);
  EXPECT_EQ(options.last_rank(2, true), 36);
  options.range_max = 50;
  EXPECT_EQ(options.last_rank(2, true), 50);
}

}  // namespace
}  // namespace contrastive::mining
