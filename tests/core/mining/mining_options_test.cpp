#include "core/mining/mining_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/mining/tables.h"

namespace contrastive::mining {
namespace {

using ::testing::HasSubstr;

Error refusal(const std::string& json) {
  return error_of([&] { read_mining_options(Config::parse(json)); });
}

TEST(MiningOptions, HaveTheDefaultsThatTheHelpSays) {
  const MiningOptions options = read_mining_options(Config());
  EXPECT_EQ(options.relative_margin, 0.05);
  EXPECT_TRUE(options.has_relative_margin());
  EXPECT_FALSE(options.has_absolute_margin() || options.has_max_score() || options.has_min_score());
  EXPECT_EQ(options.num_negatives, 3);
}

TEST(MiningOptions, RefuseWhatCannotBe) {
  EXPECT_THAT(refusal(R"({"num_negativs": 2})").message(), HasSubstr("num_negatives"));
  EXPECT_THAT(refusal(R"({"range_min": 5, "range_max": 5})").message(),
              HasSubstr("no rank lies between"));
  EXPECT_THAT(refusal(R"({"range_min": 5, "range_max": 7})").message(),
              HasSubstr("raise range_max"));
  EXPECT_THAT(refusal(R"({"min_score": 0.5, "max_score": 0.4})").message(),
              HasSubstr("is above 'max_score'"));
  EXPECT_THAT(refusal(R"({"num_negatives": 0})").message(), HasSubstr("num_negatives"));
  EXPECT_THAT(refusal(R"({"sampling_strategy": "best"})").message(), HasSubstr("top"));
  EXPECT_EQ(refusal(R"({"range_min": 4, "num_negatives": 3})").status(), Status::kOk);
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
