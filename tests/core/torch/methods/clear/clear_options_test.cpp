#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/torch/methods/clear/clear.h"
#include "core/torch/run/train_options.h"
#include "core/torch/run/training_run.h"
#include "tests/expect_error.h"

namespace contrastive::methods {
namespace {

TEST(ClearOptions, RefusesContradictions) {
  for (
      const auto& [json, part] : std::vector<std::pair<std::string, std::string>>{
          {R"({"clear.recipe": "del-words"})", "clear.recipe"},
          {R"({"clear.recipe": "foo", "clear.view1_recipe": "del-word", "clear.view2_recipe": "reorder"})",
           "clear.recipe': unknown augmentation 'foo'"},
          {R"({"clear.recipe": "del-span", "clear.view1_recipe": "del-word", "clear.view2_recipe": "reorder"})",
           "'clear.recipe' is set, but clear.view1_recipe and clear.view2_recipe replace it"},
          {R"({"clear.view2_recipe": "subs"})", "clear.synonyms"},
          {R"({"clear.synonyms": "file"})", "clear.synonyms"},
          {R"({"clear.del_token": "DEL"})", "clear.del_token"},
          {R"({"clear.del_token": "unused:"})", "clear.del_token"},
          {R"({"clear.del_token": "id:-3"})", "clear.del_token"},
          {R"({"clear.del_prob": 0})", "clear.del_prob"},
          {R"({"clear.del_prob": 1.5})", "clear.del_prob"},
          {R"({"clear.del_keep": 0.6, "clear.del_random": 0.6})", "clear.del_keep"},
          {R"({"clear.mlm_rate": 0})", "clear.mlm_rate"},
          {R"({"clear.mlm_mask": 0.9, "clear.mlm_random": 0.3})",
           "'clear.mlm_mask' and 'clear.mlm_random' add up to 1.2"},
          {R"({"clear.sides": "one", "clear.reduction": "two-sided"})",
           "'clear.reduction' is two-sided, but 'clear.sides' is one"},
          {R"({"clear.temperature": 0})", "clear.temperature"},
          {R"({"clear.span_share": 0})", "clear.span_share"},
          {R"({"clear.contrastive_weight": -1})", "clear.contrastive_weight"},
          {R"({"clear.head": "none", "clear.head_dim": 10})", "clear.head_dim"},
          {R"({"clear.head": "simclr-mlp", "clear.head_relu": false})", "clear.head_relu"},
          {R"({"clear.objective": "mlm", "clear.recipe": "del-word"})", "clear.recipe"},
          {R"({"clear.objective": "double-mlm", "clear.contrastive_weight": 2})",
           "clear.contrastive_weight"},
          {R"({"clear.objective": "mlm", "clear.del_prob": 0.5})", "clear.del_prob"},
          {R"({"clear.objective": "mlm", "clear.false_negatives": "mask"})",
           "clear.false_negatives"},
          {R"({"clear.recipe": "del-span", "clear.del_prob": 0.5})",
           "'clear.del_prob' is set, but no recipe has del-word"},
          {R"({"clear.recipe": "del-word", "clear.subs_prob": 0.5})", "no recipe has subs"},
          {R"({"clear.recipe": "reorder", "clear.span_count": 3})",
           "'clear.span_count' is set, but no recipe has del-span"},
          {R"({"clear.recipe": "reorder", "clear.del_keep": 0.3})",
           "no recipe has del-word or del-span"},
          {R"({"clear.recipe": "del-word", "clear.span_share": 0.3})",
           "no recipe has del-span or reorder"},
          {R"({"clear.recipe": "del-span", "clear.span_deviation": 2})",
           "clear.span_sampler = gaussian"},
          {R"({"clear.recipe": "del-span", "clear.reorder_pairs": 2})", "no recipe has reorder"},
          {R"({"clear.recipe": "del-span+reorder", "clear.reorder_skip": true})",
           "no recipe is reorder alone"},
          {R"({"clear.preset": "code"})", "clear.preset"}}) {
    SCOPED_TRACE(json);
    expect_error(Status::kArgument, part,
                 [&, json = json] { find_method("clear").describe(Config::parse(json)); });
  }
}

TEST(ClearOptions, EveryRecipeOfThePaperIsAccepted) {
  for (const char* recipe :
       {"del-word", "del-span", "subs+del-word", "subs+del-span", "del-word+reorder",
        "del-span+reorder", "subs+del-word+reorder", "subs", "reorder", "subs+reorder", "none"}) {
    Config config;
    config.set("clear.recipe", recipe);
    if (std::string(recipe).find("subs") != std::string::npos)
      config.set("clear.synonyms", "table.json");
    EXPECT_NO_THROW(find_method("clear").describe(config)) << recipe;
  }
}

TEST(ClearOptions, AKeyMayBelongToOneViewsRecipe) {
  for (const char* json : {R"({"clear.view1_recipe": "del-word", "clear.del_prob": 0.5})",
                           R"({"clear.recipe": "reorder", "clear.span_share": 0.1})",
                           R"({"clear.view2_recipe": "reorder", "clear.reorder_skip": true})",
                           R"({"clear.view1_recipe": "del-word", "clear.view2_recipe": "reorder"})",
                           R"({"clear.recipe": "del-span", "clear.view1_recipe": "del-word"})",
                           R"({"clear.span_sampler": "gaussian", "clear.span_deviation": 2})"}) {
    EXPECT_NO_THROW(find_method("clear").describe(Config::parse(json))) << json;
  }
}

TEST(ClearOptions, TextsAreTakenApartAndOnlyViewsNeedABatch) {
  EXPECT_TRUE(describe_clear({}).separates_pairs);
  EXPECT_TRUE(describe_clear({}).in_batch_negatives);
  EXPECT_FALSE(describe_clear(Config::parse(R"({"clear.objective": "mlm"})")).in_batch_negatives);
}

TEST(ClearOptions, PresetsDecideDefaultsAndKeysDecideMore) {
  const ClearOptions changed = read_clear_options(Config::parse(
      R"({"clear.preset": "clear-code", "clear.span_count": 4, "clear.blocks": false})"));
  EXPECT_EQ(changed.views.spans.count, 4);
  EXPECT_FALSE(changed.blocks);
  EXPECT_EQ(changed.views.reorder_pairs, 3);
  EXPECT_FALSE(read_clear_options(Config::parse(R"({"clear.preset": "small"})")).blocks);
}

// The effective options if only the preset is set.
TEST(ClearOptions, EveryKeyOfThePaperAndOfItsCode) {
  const auto in_force = [](const char* preset) {
    Config config;
    config.set("clear.preset", preset);
    return dump_options(read_clear_options(config), ClearOptions::kPrefix).to_json();
  };
  // core/torch/methods/README.md 1.2 (negatives), and core/torch/methods/clear/README.md 1 (loss
  // and head), 2 (masks), 3 (views; 4 where the paper leaves one open), 5 (blocks, decay).
  Config expected = Config::parse(R"({
    "clear.preset": "paper", "clear.objective": "mlm+contrastive", "clear.contrastive_weight": 1,
    "clear.temperature": 0.1, "clear.reduction": "mean", "clear.sides": "both", "clear.false_negatives": "keep",
    "clear.head": "code", "clear.head_dim": 1024, "clear.head_relu": true,
    "clear.pooling": "cls", "clear.max_length": 0, "clear.dropout": true, "clear.freeze_embeddings": false,
    "clear.lora_rank": 0, "clear.lora_alpha": 8, "clear.lora_dropout": 0, "clear.lora_targets": ["query", "value"],
    "clear.mlm_rate": 0.15, "clear.mlm_mask": 0.8, "clear.mlm_random": 0.1, "clear.mlm_special": "exclude",
    "clear.recipe": "del-span+reorder", "clear.view1_recipe": "", "clear.view2_recipe": "", "clear.synonyms": "",
    "clear.del_token": "mask", "clear.del_collapse": true, "clear.del_keep": 0, "clear.del_random": 0, "clear.del_prob": 0.7,
    "clear.span_count": 5, "clear.span_share": 0.05, "clear.span_sampler": "fixed", "clear.span_deviation": 3,
    "clear.reorder_pairs": 5, "clear.reorder_skip": false, "clear.subs_prob": 0.3,
    "clear.blocks": true, "clear.decay_all": true, "clear.deliver_mlm_head": false})");
  EXPECT_EQ(in_force("paper"), expected.to_json());
  // core/torch/methods/clear/README.md 4: only what the authors' code does differently; its
  // temperature, head, [DEL] and reduction are already the defaults. 4.3: span lengths have a
  // deviation of 3 tokens, and only reorder is skipped, once in reorder_pairs + 1 times.
  expected.merge(Config::parse(R"({
    "clear.preset": "clear-code", "clear.mlm_special": "include", "clear.del_keep": 0.1, "clear.del_random": 0.1, "clear.del_prob": 0.3,
    "clear.span_count": 10, "clear.span_sampler": "gaussian", "clear.reorder_pairs": 3, "clear.reorder_skip": true, "clear.subs_prob": 0.4})"));
  EXPECT_EQ(in_force("clear-code"), expected.to_json());
}

// core/torch/methods/clear/README.md 5: 8,192 sequences an update, compared with each other in
// batches of 32, which is what the trainer's negatives = micro does.
TEST(ClearOptions, ThePaperAndItsCodeTrainAlike) {
  const Json expected = Config::parse(R"({
    "batch_size": 32, "accumulate": 256, "max_steps": 500000, "warmup_steps": 24000, "schedule": "fairseq-linear", "lr": 6e-4, "optimizer": "adamw",
    "betas": [0.9, 0.98], "eps": 1e-6, "weight_decay": 0.01, "clip_norm": 0})")
                            .to_json();
  for (const char* json : {"{}", R"({"clear.preset": "clear-code"})"}) {
    EXPECT_EQ(describe_clear(Config::parse(json)).training_defaults.to_json(), expected) << json;
    Config run = Config::parse(json);
    run.set("method", "clear");
    EXPECT_EQ(run::read_run_config(run, true).options.negatives, run::Negatives::kMicro) << json;
  }
}

TEST(ClearOptions, TheSmallPresetIsForOneMachine) {
  const MethodTraits traits = describe_clear(Config::parse(R"({"clear.preset": "small"})"));
  EXPECT_EQ(*traits.training_defaults.find("accumulate"), 1);
  EXPECT_EQ(*traits.training_defaults.find("epochs"), 1);
  const Config twice =
      describe_clear(
          Config::parse(R"({"clear.preset": "small", "clear.objective": "double-batch"})"))
          .training_defaults;
  EXPECT_EQ(*twice.find("batch_size"), 64);
}

TEST(ClearOptions, AResolvedConfigReadsAsTheRunItCameFrom) {
  for (
      const char* json :
      {R"({"method": "clear", "clear.preset": "clear-code", "clear.del_keep": 0, "max_steps": 100})",
       R"({"method": "clear", "clear.view1_recipe": "del-word", "clear.view2_recipe": "reorder", "max_steps": 100})",
       R"({"method": "clear", "clear.objective": "double-batch", "max_steps": 100})"}) {
    const run::RunConfig first = run::read_run_config(Config::parse(json), true);
    const run::RunConfig second = run::read_run_config(first.complete, true);
    EXPECT_EQ(first.complete.to_json(), second.complete.to_json());
    EXPECT_EQ(read_clear_options(second.user).views.del.keep, 0);
    EXPECT_EQ(first.options.batch_size, second.options.batch_size);
  }
}

}  // namespace
}  // namespace contrastive::methods
