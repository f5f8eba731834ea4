#include <ATen/TensorOperators.h>

#include <algorithm>

#include "core/torch/methods/sg_opt/sg_opt.h"
#include "tests/core/torch/methods/method_tests.h"
#include "tests/core/torch/methods/sg_opt/sg_opt_tests.h"
#include "tests/expect_error.h"

namespace contrastive::methods {
namespace {

TEST(SgOpt, RefusesContradictionsByTheNameOfTheKey) {
  for (const auto& [json, part] : std::vector<std::pair<std::string, std::string>>{
           {R"({"sgopt.temperature": 0})", "sgopt.temperature"},
           {R"({"sgopt.lambda": -1})", "sgopt.lambda"},
           {R"({"sgopt.objective": "opt4"})", "sgopt.objective"},
           {R"({"sgopt.lmin": 3, "sgopt.lmax": 2})", "sgopt.lmin"},
           {R"({"sgopt.head": "none", "sgopt.head_width": 10})", "sgopt.head_width"},
           {R"({"sgopt.layer_weights": ["1", "1", "1"]})", "sgopt.layer_weights"},
           {R"({"sgopt.objective": "sg", "sgopt.layer_weights": ["1", "x", "1"]})",
            "sgopt.layer_weights"},
           {R"({"sgopt.objective": "sg", "sgopt.layer_weights": ["0", "0"]})",
            "sgopt.layer_weights"},
           {R"({"sgopt.objective": "sg", "sgopt.lmax": 1, "sgopt.layer_weights": ["1", "1", "1"]})",
            "sgopt.layer_weights"},
           {R"({"sgopt.opt2_drop_first": true})", "sgopt.opt2_drop_first"},
           {R"({"sgopt.objective": "bt", "sgopt.view_pooling": "mean"})", "sgopt.view_pooling"},
           {R"({"sgopt.preset": "paper"})", "sgopt.preset"}}) {
    expect_error(Status::kArgument, part,
                 [&] { find_method("sgopt").describe(Config::parse(json)); });
  }
}

TEST(SgOpt, RefusesLayersThatTheModelDoesNotHave) {
  expect_error(Status::kArgument, "'sgopt.lmax' is 3",
               [] { make_method("sgopt", small(R"("sgopt.lmax": 3)")); });
  expect_error(Status::kArgument, "'sgopt.lmin' is 9",
               [] { make_method("sgopt", small(R"("sgopt.lmin": 9)")); });
  expect_error(Status::kArgument, "2 numbers for the 3 layers", [] {
    make_method("sgopt", small(R"("sgopt.objective": "sg", "sgopt.layer_weights": ["1", "2"])"));
  });
  EXPECT_NO_THROW(make_method("sgopt", small(R"("sgopt.lmin": 2, "sgopt.lmax": 2)")));
}

TEST(SgOpt, PresetsDecideDefaultsAndExplicitKeysWin) {
  const auto read = [](const char* json) { return SgOptOptions::read(Config::parse(json)); };
  EXPECT_EQ(read("{}").view_pooling, "max");
  EXPECT_FALSE(read("{}").teacher_dropout);
  const SgOptOptions code = read(R"({"sgopt.preset": "sgopt-code", "sgopt.objective": "opt2"})");
  EXPECT_EQ(code.view_pooling, "mean");
  EXPECT_TRUE(code.teacher_dropout);
  EXPECT_TRUE(code.opt2_drop_first);
  EXPECT_EQ(code.encoder.max_length, 131);
  EXPECT_EQ(read(R"({"sgopt.preset": "sgopt-code", "sgopt.view_pooling": "max"})").view_pooling,
            "max");
  const MethodTraits traits =
      find_method("sgopt").describe(Config::parse(R"({"sgopt.preset": "sgopt-code"})"));
  const auto row = std::find_if(traits.rows.begin(), traits.rows.end(), [](const Json& each) {
    return each.at("key") == "sgopt.view_pooling";
  });
  ASSERT_NE(row, traits.rows.end());
  EXPECT_EQ(row->at("default"), "mean");
  EXPECT_EQ(traits.preset_keys, std::vector<std::string>{"sgopt.preset"});
}

// core/torch/methods/sg_opt/README.md 4 (optimiser, its effective weight decay, schedule, clipping,
// early stop) and 5 (batch, epochs, and evaluation on the dev set before training, every 50 updates
// and at the end of an epoch). Where the paper is silent both presets train as its code does.
TEST(SgOpt, BothPresetsTrainAsTheAuthorsDid) {
  const Json expected = Config::parse(R"({
    "optimizer": "adamw-hf", "lr": 5e-5, "betas": [0.9, 0.9], "eps": 1e-6, "correct_bias": true, "weight_decay": 0.01, "clip_norm": 1,
    "schedule": "warmup-linear", "warmup_ratio": 0.1, "batch_size": 16, "epochs": 1,
    "eval_at_start": true, "eval_every": 50, "eval_each_epoch": true, "patience": 10, "early_stop": "previous"})")
                            .to_json();
  for (const char* json :
       {"{}", R"({"sgopt.preset": "sgopt"})", R"({"sgopt.preset": "sgopt-code"})"}) {
    EXPECT_EQ(find_method("sgopt").describe(Config::parse(json)).training_defaults.to_json(),
              expected)
        << json;
  }
}

}  // namespace
}  // namespace contrastive::methods
