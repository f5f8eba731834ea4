#include "core/torch/methods/simcse/simcse.h"

#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>

#include "core/base/log.h"
#include "tests/core/torch/methods/method_tests.h"

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
    expect_refused(json, part, [&] { find_method("simcse").describe(Config::parse(json)); });
  }
  expect_refused("no dropout, no pairs", "simcse.dropout is off",
                 [] { loss_of("simcse", R"({"simcse.dropout": false})", some_texts()); });
  expect_refused("pairs asked for", "has one text only",
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

TEST(SimCse, DropoutIsAllThatTellsTheTwoViewsApart) {
  const auto method = make_method("simcse", R"({"simcse.mlp": "none"})");
  const Views v = method->views(some_texts());
  ASSERT_EQ(v.vectors.size(), 3u);
  EXPECT_FALSE(v["a.view1"].allclose(v["a.view2"], 1e-2, 1e-2));
  const Views again = method->views(some_texts());
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(again.vectors[i].rows.equal(v.vectors[i].rows));
  data::Batch next = some_texts();
  next.epoch = 1;
  EXPECT_FALSE(method->views(next)["a.view1"].allclose(v["a.view1"], 1e-2, 1e-2));
}

TEST(SimCse, InDropoutModeBothTextsOfAPairAreExamples) {
  const auto method =
      make_method("simcse", R"({"simcse.positives": "dropout", "simcse.mlp": "none"})");
  const Views v = method->views(some_pairs());
  EXPECT_EQ(v.vectors.size(), 6u);
  // Eight texts, each of which must find its view among eight.
  const double loss = loss_of(*method, some_pairs());
  EXPECT_GT(loss, 0);
  EXPECT_LT(loss, 40 + std::log(8.0));
  const char* const mask = R"({"simcse.positives": "dropout", "simcse.false_negatives": "mask"})";
  EXPECT_NEAR(loss_of("simcse", mask, pairs_batch({{"a", "a"}, {"a", "a"}})), 0, 1e-6);
}

TEST(SimCse, HardNegativesCountByTheirWeight) {
  data::Batch triplets = some_pairs();
  for (data::Example& example : triplets.examples) example.negatives = {example.b + " closed"};
  const auto loss = [&](const char* keys, const data::Batch& batch) {
    return loss_of("simcse", cat(R"({"simcse.dropout": false)", keys, "}"), batch);
  };
  const double pairs = loss("", some_pairs()), plain = loss("", triplets);
  EXPECT_GT(plain, pairs);
  EXPECT_GT(loss(R"(, "simcse.hard_negative_weight": 3)", triplets), plain);
  EXPECT_LT(loss(R"(, "simcse.hard_negative_weight": 0.1)", triplets), plain);
  EXPECT_EQ(loss(R"(, "simcse.hard_negative_weight": 3)", some_pairs()), pairs);
}

TEST(SimCse, TheMlpIsThrownAwayOrDelivered) {
  const std::vector<std::string_view> texts = {"the cat", "a dog", ""};
  for (const char* mlp : {"none", "train", "always"}) {
    const auto method = make_method("simcse", cat(R"({"simcse.mlp": ")", mlp, "\"}"));
    loss_terms(*method, some_pairs());
    const auto encoder = method->deliver();
    EXPECT_EQ(encoder->folder().dense.size(), std::string(mlp) == "always" ? 1u : 0u) << mlp;
    EXPECT_EQ(encoder->folder().poolings, std::vector<std::string>{"cls"});
    EXPECT_TRUE(delivered(*method, texts).allclose(embeddings(*method, texts), 1e-4, 1e-5)) << mlp;
    size_t heads = 0;
    for (const Parameter& p : method->parameters()) heads += p.name.rfind("mlp.", 0) == 0 ? 1 : 0;
    EXPECT_EQ(heads, std::string(mlp) == "none" ? 0u : 2u) << mlp;
  }
}

TEST(SimCse, DegenerateBatches) {
  EXPECT_EQ(loss_of("simcse", "{}", singles_batch({"alone"})), 0);
  EXPECT_EQ(loss_of("simcse", "{}", pairs_batch({{"alone", "and only"}})), 0);
  EXPECT_NEAR(loss_of("simcse", R"({"simcse.dropout": false})",
                      pairs_batch({{"same", "same"}, {"same", "same"}, {"same", "same"}})),
              std::log(3.0), 1e-4);
  EXPECT_TRUE(std::isfinite(loss_of("simcse", "{}", singles_batch({"", "", "a"}))));
}

}  // namespace
}  // namespace contrastive::methods
