#include "core/torch/run/resume_rules.h"

#include <gmock/gmock.h>

#include <set>

#include "core/base/affixes.h"
#include "core/base/options.h"
#include "core/torch/run/training_run.h"
#include "tests/core/torch/run/toy.h"
#include "tests/expect_error.h"

namespace contrastive::run {
namespace {

std::set<std::string> changeable_keys() {
  std::set<std::string> keys;
  for (const Json& row : describe_config("clsr")) {
    if (may_change_on_resume(row)) keys.insert(row["key"]);
  }
  return keys;
}

// The list that users rely on. It must not contain a key that changes the weights.
TEST(ResumeRules, TheKeysThatMayChangeAreTheDescribedOnes) {
  std::set<std::string> own;
  for (const std::string& key : changeable_keys()) {
    const bool group = begins_with(key, "evaluate.") || begins_with(key, "dist.") ||
                       begins_with(key, CardOptions::kPrefix);
    if (!group) own.insert(key);
  }
  EXPECT_THAT(own,
              ::testing::ElementsAre("cache", "checkpoints", "data_threads", "dev", "dev_select",
                                     "dev_task", "early_stop", "epochs", "eval_each_epoch",
                                     "eval_every", "eval_every_epochs", "evaluate_every",
                                     "gradient_checkpointing", "keep", "max_steps", "metrics_csv",
                                     "metrics_every", "metrics_file", "on_nan", "patience",
                                     "save_every", "task2.dataset", "threads", "watch_every"));
  for (const Json& row : describe_config("clsr")) {
    const std::string key = row["key"];
    const bool group = begins_with(key, "evaluate.") || begins_with(key, "dist.") ||
                       begins_with(key, CardOptions::kPrefix);
    EXPECT_TRUE(may_change_on_resume(row) || !group) << key;
  }
}

TEST(ResumeRules, AnOverrideIsCheckedByTheDescriptionOfItsKey) {
  const Config saved = toy_config(R"({"seed": 3})");
  const Config resolved = read_run_config(saved, true).complete;
  const auto with = [&](const std::string& overrides) {
    return with_overrides(saved, resolved, Config::parse(overrides));
  };
  EXPECT_EQ(*with(R"({"max_steps": 7})").find("max_steps"), 7);
  EXPECT_EQ(*with(R"({"max_steps": 7})").find("seed"), 3);
  EXPECT_EQ(*with(R"({"batch_size": 8})").find("batch_size"), 8) << "the current value";
  EXPECT_EQ(*with(R"({"x-mine": 1})").find("x-mine"), 1);
  EXPECT_TRUE(with(R"({"evaluate.sts.data": "f"})").has("evaluate.sts.data"));
  EXPECT_TRUE(with(R"({"task3.dataset": "f"})").has("task3.dataset"));
  for (const char* key : {"batch_size", "lr", "seed", "clsr.temperature", "task2.batch_size",
                          "data.columns", "matryoshka.dims", "device", "no_such_key"}) {
    expect_error(Status::kMismatch, cat("config key '", key, "' cannot change"),
                 [&] { with(cat(R"({")", key, R"(": 5})")); });
  }
}

}  // namespace
}  // namespace contrastive::run
