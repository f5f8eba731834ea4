// The keys of ConSERT: explicit keys win, and incompatible keys are refused before a model is used.
#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/torch/methods/consert/consert.h"
#include "core/torch/methods/consert/consert_presets.h"
#include "core/torch/run/training_run.h"
#include "tests/expect_error.h"

namespace contrastive::methods {
namespace {

void expect_refused(const std::string& json, const std::string& part) {
  SCOPED_TRACE(json);
  expect_error(Status::kArgument, part, [&] { describe_consert(Config::parse(json)); });
}

TEST(ConsertOptions, RefusesContradictionsNamingTheKey) {
  expect_refused(R"({"consert.view2": "adversarial"})", "consert.view2' is adversarial");
  expect_refused(R"({"consert.mode": "unsup", "consert.view1": "adversarial"})", "needs labels");
  for (const char* rate : {"-0.1", "1", "1.5"})
    expect_refused(std::string(R"({"consert.cutoff_rate1": )") + rate + "}",
                   "consert.cutoff_rate1");
  expect_refused(R"({"consert.view2": "shuffle", "consert.cutoff_rate2": 0.1})",
                 "consert.view2 cuts nothing");
  expect_refused(R"({"consert.view1": "shufle"})", "did you mean 'shuffle'");
  expect_refused(R"({"consert.temperature": 0})", "consert.temperature");
  expect_refused(R"({"consert.temperature": -0.1})", "consert.temperature");
  expect_refused(R"({"consert.mode": "joint", "consert.alpha": -0.5})", "consert.alpha");
  expect_refused(R"({"consert.fgv_eps": 0})", "consert.fgv_eps");
  expect_refused(R"({"consert.nli_features": ["uv", "abs"]})", "consert.nli_features");
  expect_refused(R"({"consert.classes": 1})", "consert.classes");
  expect_refused(R"({"consert.sides": "one", "consert.reduction": "two-sided"})",
                 "config key 'consert.reduction' is two-sided, but 'consert.sides' is one");
  expect_refused(R"({"consert.preset": "unsup-base", "consert.mode": "joint"})", "consert.preset");
  expect_refused(R"({"consert.preset": "unsup"})", "consert.preset");
  expect_refused(R"({"consert.mode": "both"})", "consert.mode");
}

TEST(ConsertOptions, RefusesKeysThatWouldChangeNothing) {
  for (const char* key :
       {R"("view1": "dropout")", R"("view2": "shuffle")", R"("temperature": 0.5)",
        R"("reduction": "sum")", R"("sides": "one")", R"("false_negatives": "mask")",
        R"("joint_cl": "merged")", R"("alpha": 0.3)"}) {
    expect_refused(std::string(R"({"consert.mode": "sup", "consert": {)") + key + "}}",
                   "consert.mode = sup has no views");
  }
  for (const char* key :
       {R"("nli_features": ["uv"])", R"("classes": 5)", R"("joint_cl": "merged")"}) {
    expect_refused(std::string(R"({"consert": {)") + key + "}}",
                   "consert.mode = unsup has no labelled pairs");
  }
  expect_refused(R"({"consert.alpha": 0.3})", "'consert.alpha' is set, but in consert.mode = unsup "
                                              "it has a use with consert.alpha_everywhere");
  expect_refused(R"({"consert.mode": "joint", "consert.alpha_everywhere": true})",
                 "'consert.alpha_everywhere'");
  expect_refused(R"({"consert.mode": "joint", "consert.reduction": "sum"})",
                 "consert.joint_cl = merged");
  for (const char* mode : {"unsup", "sup", "joint"}) {
    for (const char* key : {R"("fgv_eps": 0.5)", R"("fgv_normalize": false)"}) {
      expect_refused(std::string(R"({"consert.mode": ")") + mode + R"(", "consert": {)" + key +
                         "}}",
                     "no view is adversarial");
    }
  }
  for (
      const char* json :
      {R"({"consert.alpha": 0.3, "consert.alpha_everywhere": true})",
       R"({"consert.preset": "consert-code", "consert.alpha": 0.3})",
       R"({"consert.mode": "joint", "consert.joint_cl": "merged", "consert.reduction": "sum", "consert.alpha": 0.3})",
       R"({"consert.mode": "joint", "consert.view2": "adversarial", "consert.fgv_eps": 0.5, "consert.fgv_normalize": false})"}) {
    EXPECT_NO_THROW(describe_consert(Config::parse(json))) << json;
  }
}

TEST(ConsertOptions, AStageMayInheritKeysOfTheOther) {
  const Config whole = Config::parse(
      R"({"consert.mode": "joint-unsup", "consert.alpha": 0.3, "consert.classes": 2, "consert.temperature": 0.2})");
  const MethodTraits traits = describe_consert(whole);
  for (Config stage : traits.stages) {
    for (const char* key : {"consert.alpha", "consert.classes", "consert.temperature"})
      stage.set_json(key, *whole.find(key));
    EXPECT_NO_THROW(describe_consert(stage)) << stage.to_json();
  }
  for (const char* mode : {"sup", "unsup"}) {
    Config stage = Config::parse(
        R"({"consert.preset": "sup-unsup-base", "consert.temperature": 0.2, "consert.classes": 2})");
    stage.set("consert.mode", mode);
    EXPECT_NO_THROW(describe_consert(stage)) << mode;
  }
}

TEST(ConsertOptions, AnAdversarialStepThatDependsOnItsPartIsNotSplit) {
  Config config = Config::parse(
      R"({"consert.mode": "joint", "consert.view2": "adversarial", "consert.fgv_normalize": false, "negatives": "global",
                                    "accumulate": 2})");
  expect_refused(config.to_json().dump(), "'consert.fgv_normalize' is off");
  expect_refused(config.to_json().dump(), "'negatives' = global");
  for (const char* without : {"consert.fgv_normalize", "negatives", "accumulate"}) {
    Config allowed = config;
    allowed.erase(without);
    EXPECT_NO_THROW(describe_consert(allowed)) << without;
  }
}

TEST(ConsertOptions, ThePoolingOfTheDeliveredModelIsKnownBeforeAModelIs) {
  expect_refused(
      R"({"consert.eval_pooling": "lst2"})",
      "config key 'consert.eval_pooling': unknown pooling 'lst2'; did you mean 'last2'?");
  expect_refused(R"({"consert.eval_pooling": "layer:x:mean"})", "consert.eval_pooling");
  for (const char* pooling : {"", "last2", "cls", "layer:900:mean"}) {
    Config config;
    config.set_json("consert.eval_pooling", pooling);
    EXPECT_NO_THROW(describe_consert(config)) << pooling;
  }
}

TEST(ConsertOptions, RunsOfTwoStages) {
  for (const char* preset : {"auto", "row", "consert-code"}) {
    for (const auto& [mode, first, view2] : {std::tuple("sup-unsup", "sup", "feature-cutoff"),
                                             std::tuple("joint-unsup", "joint", "shuffle")}) {
      SCOPED_TRACE(std::string(preset) + " " + mode);
      Config config;
      config.set("consert.mode", mode);
      config.set("consert.preset",
                 std::string(preset) == "row" ? std::string(mode) + "-base" : preset);
      const std::vector<Config> stages = describe_consert(config).stages;
      ASSERT_EQ(stages.size(), 2u);
      const MethodTraits one = describe_consert(stages[0]), two = describe_consert(stages[1]);
      EXPECT_EQ(*stages[0].find("consert.mode"), first);
      EXPECT_EQ(*one.training_defaults.find("lr"), 2e-5);
      EXPECT_TRUE(one.needs_labels && one.stages.empty());
      EXPECT_EQ(read_consert_options(stages[0]).nli_features.size(),
                std::string(preset) == "auto" ? 2u : 3u);
      const ConsertOptions second = read_consert_options(stages[1]);
      EXPECT_EQ(second.mode, ConsertMode::kUnsup);
      EXPECT_EQ(second.view1, "none");
      EXPECT_EQ(second.view2, view2);
      EXPECT_TRUE(second.encoder.dropout);
      EXPECT_EQ(second.encoder.max_length, std::string(preset) == "consert-code" ? 67 : 64);
      EXPECT_EQ(stages[1].has("epochs") ? *stages[1].find("epochs")
                                        : *two.training_defaults.find("epochs"),
                25);
      EXPECT_TRUE(!two.needs_labels && two.stages.empty());
    }
  }
}

}  // namespace
}  // namespace contrastive::methods
