// The keys of ConSERT: presets and modes determine defaults, explicit keys win, and incompatible
// keys are refused before a model is used.
#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/torch/methods/consert/consert.h"
#include "core/torch/methods/consert/consert_presets.h"
#include "core/torch/run/training_run.h"

namespace contrastive::methods {
namespace {

using ::testing::HasSubstr;

void expect_refused(const std::string& json, const std::string& part) {
  try {
    describe_consert(Config::parse(json));
    ADD_FAILURE() << "accepted " << json;
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::kArgument) << json;
    EXPECT_THAT(error.message(), HasSubstr(part)) << json;
  }
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

TEST(ConsertOptions, EveryRowOfTheScripts) {
  struct Row {
    const char *preset, *view1, *view2;
    double rate;
    bool dropout;
    int64_t length, epochs, eval_every;
    double lr;
    int64_t patience;
  };
  for (const Row& row :
       {Row{"unsup-base", "feature-cutoff", "shuffle", 0, false, 64, 10, 200, 5e-7, 10},
        Row{"unsup-large", "none", "shuffle", 0, true, 64, 25, 100, 5e-7, 10},
        Row{"sup-base", "none", "none", 0, true, 64, 1, 200, 2e-5, 0},
        Row{"sup-large", "none", "none", 0, true, 64, 1, 200, 2e-5, 0},
        Row{"joint-base", "none", "token-cutoff", 0.1, true, 64, 1, 200, 2e-5, 0},
        Row{"joint-large", "none", "token-cutoff", 0.1, true, 40, 1, 200, 2e-5, 0},
        Row{"sup-unsup-base", "none", "feature-cutoff", 0.1, true, 64, 25, 200, 5e-7, 10},
        Row{"sup-unsup-large", "none", "feature-cutoff", 0.1, true, 64, 10, 200, 5e-7, 10},
        Row{"joint-unsup-base", "none", "shuffle", 0, true, 64, 25, 200, 5e-7, 10},
        Row{"joint-unsup-large", "none", "shuffle", 0, true, 40, 10, 200, 5e-7, 10}}) {
    SCOPED_TRACE(row.preset);
    Config config;
    config.set("consert.preset", row.preset);
    const ConsertOptions options = read_consert_options(config);
    EXPECT_EQ(options.view1, row.view1);
    EXPECT_EQ(options.view2, row.view2);
    EXPECT_EQ(options.cutoff_rate2, row.rate);
    EXPECT_EQ(options.encoder.dropout, row.dropout);
    EXPECT_EQ(options.encoder.max_length, row.length);
    EXPECT_EQ(options.encoder.pooling, "mean");
    EXPECT_EQ(options.eval_pooling, "last2") << "the paper's figures use it";
    EXPECT_EQ(options.alpha, 0.15);
    const Config training = describe_consert(config).training_defaults;
    EXPECT_EQ(*training.find("epochs"), row.epochs);
    EXPECT_EQ(*training.find("eval_every"), row.eval_every);
    EXPECT_EQ(*training.find("lr"), row.lr);
    EXPECT_EQ(training.has("patience") ? training.find("patience")->get<int64_t>() : 0,
              row.patience);
    EXPECT_EQ(*training.find("batch_size"), 96);
    EXPECT_EQ(*training.find("optimizer"), "adamw-hf");
    EXPECT_EQ(*training.find("correct_bias"), false);
    EXPECT_EQ(*training.find("eps"), 1e-6);
    EXPECT_EQ(*training.find("warmup_ratio"), 0.1);
    EXPECT_EQ(*training.find("clip_norm"), 1);
  }
}

TEST(ConsertOptions, TheModeChoosesItsRowAndExplicitKeysWin) {
  const ConsertOptions paper = read_consert_options(Config::parse(R"({"consert.mode": "joint"})"));
  EXPECT_EQ(paper.view2, "token-cutoff");
  EXPECT_EQ(paper.eval_pooling, "") << "without a preset, the pooling that was trained";
  EXPECT_EQ(paper.nli_features, (std::vector<std::string>{"uv", "absdiff"}))
      << "the paper's classifier";
  EXPECT_EQ(read_consert_options(Config::parse(R"({"consert.preset": "joint-base"})"))
                .nli_features.size(),
            3u)
      << "the script's";
  const Config explicit_keys = Config::parse(
      R"({"consert.preset": "joint-base", "consert.view2": "dropout", "consert.alpha": 0})");
  const ConsertOptions own = read_consert_options(explicit_keys);
  EXPECT_EQ(own.view2, "dropout");
  EXPECT_EQ(own.alpha, 0);
  EXPECT_EQ(own.cutoff_rate2, 0)
      << "dropout's usual rate: the row's rate belongs to its token-cutoff";
}

TEST(ConsertOptions, ARowsRateIsThatOfItsOwnCutoff) {
  const Config joint = consert_defaults(Config::parse(R"({"consert.mode": "joint"})"));
  EXPECT_EQ(*joint.find("consert.cutoff_rate2"), 0.1);
  EXPECT_EQ(*consert_defaults(
                 Config::parse(R"({"consert.mode": "joint", "consert.view2": "token-cutoff"})"))
                 .find("consert.cutoff_rate2"),
            0.1);
  EXPECT_FALSE(consert_defaults(
                   Config::parse(R"({"consert.mode": "joint", "consert.view2": "feature-cutoff"})"))
                   .has("consert.cutoff_rate2"))
      << "0.2, as everywhere";
}

TEST(ConsertOptions, TheReleasedCodeInEveryMode) {
  for (const char* mode : {"unsup", "sup", "joint"}) {
    Config config = Config::parse(R"({"consert.preset": "consert-code"})");
    config.set("consert.mode", mode);
    const ConsertOptions options = read_consert_options(config);
    EXPECT_EQ(options.loss.reduction, objectives::Reduction::kTwoSided);
    EXPECT_EQ(options.encoder.max_length, 67);
    EXPECT_EQ(options.nli_features, (std::vector<std::string>{"uv", "absdiff", "maxsq"}));
    EXPECT_TRUE(options.alpha_everywhere);
    EXPECT_EQ(options.joint_cl, JointContrast::kPerSideSum);
  }
}

TEST(ConsertOptions, TheDescriptionShowsThePresetsValues) {
  const auto value = [](const MethodTraits& traits, const std::string& key) {
    for (const Json& row : traits.rows) {
      if (row["key"] == key) return row["default"];
    }
    return Json("absent");
  };
  EXPECT_EQ(value(describe_consert({}), "consert.view1"), "feature-cutoff");
  const MethodTraits joint = describe_consert(
      Config::parse(R"({"consert.preset": "joint-large", "consert.view2": "shuffle"})"));
  EXPECT_EQ(value(joint, "consert.view2"), "token-cutoff");
  EXPECT_EQ(value(joint, "consert.max_length"), 40);
  EXPECT_TRUE(joint.needs_labels && joint.needs_pairs && joint.in_batch_negatives &&
              !joint.separates_pairs);
  const MethodTraits sup = describe_consert(Config::parse(R"({"consert.mode": "sup"})"));
  EXPECT_TRUE(sup.needs_labels && sup.needs_pairs && !sup.in_batch_negatives);
  const MethodTraits unsup = describe_consert({});
  EXPECT_TRUE(unsup.separates_pairs && !unsup.needs_pairs && !unsup.needs_labels &&
              unsup.stages.empty());
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
