#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/methods/clear.h"
#include "core/train/train_options.h"
#include "core/train/trainer.h"

namespace contrastive::methods {
namespace {

using ::testing::HasSubstr;

TEST(ClearOptions, RefusesContradictions) {
  for (const auto& [json, part] : std::vector<std::pair<std::string, std::string>>{
           {R"({"clear.recipe": "del-words"})", "clear.recipe"},
           {R"({"clear.recipe": "foo", "clear.view1_recipe": "del-word", "clear.view2_recipe": "reorder"})",
            "clear.recipe': unknown augmentation 'foo'"},
           {R"({"clear.recipe": "del-span", "clear.view1_recipe": "del-word", "clear.view2_recipe": "reorder"})",
            "'clear.recipe' is set, but clear.view1_recipe and clear.view2_recipe stand in its place"},
           {R"({"clear.view2_recipe": "subs"})", "clear.synonyms"},
           {R"({"clear.synonyms": "file"})", "clear.synonyms"},
           {R"({"clear.del_token": "DEL"})", "clear.del_token"},
           {R"({"clear.del_token": "unused:"})", "clear.del_token"},
           {R"({"clear.del_token": "id:-3"})", "clear.del_token"},
           {R"({"clear.del_prob": 0})", "clear.del_prob"},
           {R"({"clear.del_prob": 1.5})", "clear.del_prob"},
           {R"({"clear.del_keep": 0.6, "clear.del_random": 0.6})", "clear.del_keep"},
           {R"({"clear.mlm_rate": 0})", "clear.mlm_rate"},
           {R"({"clear.mlm_mask": 0.9, "clear.mlm_random": 0.3})", "'clear.mlm_mask' and 'clear.mlm_random' add up to 1.2"},
           {R"({"clear.sides": "one", "clear.reduction": "two-sided"})", "'clear.reduction' is two-sided, but 'clear.sides' is one"},
           {R"({"clear.temperature": 0})", "clear.temperature"},
           {R"({"clear.span_share": 0})", "clear.span_share"},
           {R"({"clear.contrastive_weight": -1})", "clear.contrastive_weight"},
           {R"({"clear.head": "none", "clear.head_dim": 10})", "clear.head_dim"},
           {R"({"clear.head": "simclr-mlp", "clear.head_relu": false})", "clear.head_relu"},
           {R"({"clear.objective": "mlm", "clear.recipe": "del-word"})", "clear.recipe"},
           {R"({"clear.objective": "double-mlm", "clear.contrastive_weight": 2})", "clear.contrastive_weight"},
           {R"({"clear.objective": "mlm", "clear.del_prob": 0.5})", "clear.del_prob"},
           {R"({"clear.objective": "mlm", "clear.false_negatives": "mask"})", "clear.false_negatives"},
           {R"({"clear.recipe": "del-span", "clear.del_prob": 0.5})", "'clear.del_prob' is set, but no recipe has del-word"},
           {R"({"clear.recipe": "del-word", "clear.subs_prob": 0.5})", "no recipe has subs"},
           {R"({"clear.recipe": "reorder", "clear.span_count": 3})", "'clear.span_count' is set, but no recipe has del-span"},
           {R"({"clear.recipe": "reorder", "clear.del_keep": 0.3})", "no recipe has del-word or del-span"},
           {R"({"clear.recipe": "del-word", "clear.span_share": 0.3})", "no recipe has del-span or reorder"},
           {R"({"clear.recipe": "del-span", "clear.span_deviation": 2})", "clear.span_sampler = gaussian"},
           {R"({"clear.recipe": "del-span", "clear.reorder_pairs": 2})", "no recipe has reorder"},
           {R"({"clear.recipe": "del-span+reorder", "clear.reorder_skip": true})", "no recipe is reorder alone"},
           {R"({"clear.preset": "code"})", "clear.preset"}}) {
    try {
      find_method("clear").describe(Config::parse(json));
      ADD_FAILURE() << "accepted " << json;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::kArgument);
      EXPECT_THAT(error.message(), HasSubstr(part)) << json;
    }
  }
}

TEST(ClearOptions, EveryRecipeOfThePaperIsAccepted) {
  for (const char* recipe : {"del-word", "del-span", "subs+del-word", "subs+del-span", "del-word+reorder", "del-span+reorder",
                             "subs+del-word+reorder", "subs", "reorder", "subs+reorder", "none"}) {
    Config config;
    config.set("clear.recipe", recipe);
    if (std::string(recipe).find("subs") != std::string::npos) config.set("clear.synonyms", "table.json");
    EXPECT_NO_THROW(find_method("clear").describe(config)) << recipe;
  }
}

TEST(ClearOptions, AKeyMayBelongToOneViewsRecipe) {
  for (const char* json : {R"({"clear.view1_recipe": "del-word", "clear.del_prob": 0.5})", R"({"clear.recipe": "reorder", "clear.span_share": 0.1})",
                           R"({"clear.view2_recipe": "reorder", "clear.reorder_skip": true})",
                           R"({"clear.view1_recipe": "del-word", "clear.view2_recipe": "reorder"})",
                           R"({"clear.recipe": "del-span", "clear.view1_recipe": "del-word"})",
                           R"({"clear.span_sampler": "gaussian", "clear.span_deviation": 2})"}) {
    EXPECT_NO_THROW(find_method("clear").describe(Config::parse(json))) << json;
  }
}

TEST(ClearOptions, ThePapersDefaults) {
  const MethodTraits traits = describe_clear({});
  const auto value = [&](const char* key) { return *traits.training_defaults.find(key); };
  EXPECT_EQ(value("batch_size").get<int64_t>() * value("accumulate").get<int64_t>(), 8192);
  EXPECT_EQ(value("max_steps"), 500000);
  EXPECT_EQ(value("warmup_steps"), 24000);
  EXPECT_EQ(value("lr"), 6e-4);
  EXPECT_EQ(value("eps"), 1e-6);
  EXPECT_EQ(value("betas"), Json::array({"0.9", "0.98"}));
  EXPECT_EQ(value("weight_decay"), 0.01);
  EXPECT_TRUE(traits.in_batch_negatives);
  EXPECT_TRUE(traits.separates_pairs);
  EXPECT_FALSE(describe_clear(Config::parse(R"({"clear.objective": "mlm"})")).in_batch_negatives);
}

TEST(ClearOptions, PresetsDecideDefaultsAndKeysDecideMore) {
  const ClearOptions paper = read_clear_options({}), code = read_clear_options(Config::parse(R"({"clear.preset": "clear-code"})")),
                     changed = read_clear_options(Config::parse(R"({"clear.preset": "clear-code", "clear.span_count": 4, "clear.blocks": false})"));
  EXPECT_EQ(paper.views.spans.count, 5);
  EXPECT_EQ(paper.views.del_share, 0.7);
  EXPECT_EQ(paper.views.del.keep, 0);
  EXPECT_FALSE(paper.mlm.include_special);
  EXPECT_EQ(code.views.spans.count, 10);
  EXPECT_EQ(code.views.spans.sampler, augment::SpanSampler::kGaussian);
  EXPECT_EQ(code.views.reorder_pairs, 3);
  EXPECT_EQ(code.views.del.keep, 0.1);
  EXPECT_TRUE(code.mlm.include_special);
  EXPECT_TRUE(paper.blocks) << "methods.md 4.4: the unit of both losses is a block";
  EXPECT_TRUE(code.blocks);
  EXPECT_FALSE(read_clear_options(Config::parse(R"({"clear.preset": "small"})")).blocks);
  EXPECT_EQ(changed.views.spans.count, 4);
  EXPECT_FALSE(changed.blocks);
  EXPECT_EQ(changed.views.reorder_pairs, 3);
}

TEST(ClearOptions, TheSmallPresetIsForOneMachine) {
  const MethodTraits traits = describe_clear(Config::parse(R"({"clear.preset": "small"})"));
  EXPECT_EQ(*traits.training_defaults.find("accumulate"), 1);
  EXPECT_EQ(*traits.training_defaults.find("epochs"), 1);
  const Config twice = describe_clear(Config::parse(R"({"clear.preset": "small", "clear.objective": "double-batch"})")).training_defaults;
  EXPECT_EQ(*twice.find("batch_size"), 64);
}

TEST(ClearOptions, AResolvedConfigReadsAsTheRunItCameFrom) {
  for (const char* json : {R"({"method": "clear", "clear.preset": "clear-code", "clear.del_keep": 0, "max_steps": 100})",
                           R"({"method": "clear", "clear.view1_recipe": "del-word", "clear.view2_recipe": "reorder", "max_steps": 100})",
                           R"({"method": "clear", "clear.objective": "double-batch", "max_steps": 100})"}) {
    const train::RunConfig first = train::read_run_config(Config::parse(json), true);
    const train::RunConfig second = train::read_run_config(first.complete, true);
    EXPECT_EQ(first.complete.to_json(), second.complete.to_json());
    EXPECT_EQ(read_clear_options(second.user).views.del.keep, 0);
    EXPECT_EQ(first.options.batch_size, second.options.batch_size);
  }
}

}  // namespace
}  // namespace contrastive::methods
