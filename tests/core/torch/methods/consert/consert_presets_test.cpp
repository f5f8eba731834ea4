#include "core/torch/methods/consert/consert_presets.h"

#include <gmock/gmock.h>

#include "core/torch/methods/consert/consert.h"

namespace contrastive::methods {
namespace {

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

}  // namespace
}  // namespace contrastive::methods
