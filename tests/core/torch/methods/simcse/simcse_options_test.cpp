#include <ATen/TensorOperators.h>

#include <algorithm>

#include "core/base/log.h"
#include "core/torch/methods/simcse/simcse.h"
#include "tests/core/torch/methods/method_tests.h"
#include "tests/expect_error.h"

namespace contrastive::methods {
namespace {

TEST(SimCse, RefusesContradictionsByTheNameOfTheKey) {
  for (const auto& [json, part] : std::vector<std::pair<std::string, std::string>>{
           {R"({"simcse.temperature": 0})", "simcse.temperature"},
           {R"({"simcse.positives": "both"})", "simcse.positives"},
           {R"({"simcse.positives": "dropout", "simcse.dropout": false})", "simcse.dropout"},
           {R"({"simcse.positives": "dropout", "simcse.hard_negative_weight": 2})",
            "simcse.hard_negative_weight"},
           {R"({"simcse.hard_negative_weight": 0})", "simcse.hard_negative_weight"}}) {
    expect_error(Status::kArgument, part,
                 [&] { find_method("simcse").describe(Config::parse(json)); });
  }
  expect_error(Status::kArgument, "simcse.dropout is off",
               [] { loss_of("simcse", R"({"simcse.dropout": false})", some_texts()); });
  expect_error(Status::kArgument, "has one text only",
               [] { loss_of("simcse", R"({"simcse.positives": "pairs"})", some_texts()); });
}

TEST(SimCse, TraitsFollowFromWhatThePositivesAre) {
  const auto traits = [](const char* json) {
    return find_method("simcse").describe(Config::parse(json));
  };
  EXPECT_FALSE(traits("{}").needs_pairs);
  EXPECT_FALSE(traits("{}").separates_pairs);
  EXPECT_TRUE(traits(R"({"simcse.positives": "pairs"})").needs_pairs);
  EXPECT_TRUE(traits(R"({"simcse.positives": "dropout"})").separates_pairs);
  EXPECT_EQ(*traits("{}").training_defaults.find("lr"), 3e-5);
  EXPECT_EQ(*traits(R"({"simcse.positives": "pairs"})").training_defaults.find("batch_size"), 512);
}

TEST(SimCse, TheSupervisedFormKeepsItsMlpUnlessToldOtherwise) {
  const auto mlp = [](const char* json) { return read_simcse_options(Config::parse(json)).mlp; };
  EXPECT_EQ(mlp("{}"), MlpUse::kTrain);
  EXPECT_EQ(mlp(R"({"simcse.positives": "dropout"})"), MlpUse::kTrain);
  EXPECT_EQ(mlp(R"({"simcse.positives": "pairs"})"), MlpUse::kAlways);
  EXPECT_EQ(mlp(R"({"simcse.positives": "pairs", "simcse.mlp": "train"})"), MlpUse::kTrain);
  EXPECT_EQ(
      make_method("simcse", R"({"simcse.positives": "pairs"})")->deliver()->folder().dense.size(),
      1u);
  EXPECT_EQ(make_method("simcse", R"({"simcse.positives": "pairs", "simcse.mlp": "train"})")
                ->deliver()
                ->folder()
                .dense.size(),
            0u);
  EXPECT_EQ(make_method("simcse")->deliver()->folder().dense.size(), 0u);
  const Json rows =
      find_method("simcse").describe(Config::parse(R"({"simcse.positives": "pairs"})")).rows;
  const auto said = std::find_if(rows.begin(), rows.end(),
                                 [](const Json& row) { return row.at("key") == "simcse.mlp"; });
  ASSERT_NE(said, rows.end());
  EXPECT_EQ(said->at("default"), "always");
}

TEST(SimCse, AutoThatMeetsPairsSaysWhoseDefaultsHold) {
  const auto said = [](const char* json, bool pairs) {
    const auto data = data::make_dataset();
    for (const data::Example& example : (pairs ? some_pairs() : some_texts()).examples)
      data->add(example);
    std::string all;
    set_log_sink([&](LogLevel, const std::string& message) { all += message; }, LogLevel::kInfo);
    make_method("simcse", json)->prepare(data.get(), nullptr);
    set_log_sink({}, LogLevel::kWarning);
    return all;
  };
  EXPECT_THAT(said("{}", true), ::testing::HasSubstr("set simcse.positives = pairs"));
  EXPECT_EQ(said("{}", false), "");
  EXPECT_EQ(said(R"({"simcse.positives": "pairs"})", true), "");
  EXPECT_EQ(said(R"({"simcse.positives": "dropout"})", true), "");
}

}  // namespace
}  // namespace contrastive::methods
