#include "core/torch/optim/optimizer_options.h"

#include <gmock/gmock.h>

#include <set>

#include "core/torch/optim/optimizer_list.h"
#include "tests/expect_error.h"

namespace contrastive::optim {
namespace {

// The keys of an optimizer, as it reads them.
Config keys_of(const OptimizerEntry& entry) {
  Config keys;
  OptionDescriber describer;
  for (VisitKeys* visit : entry.keys) visit(keys, describer);
  return keys;
}

TEST(OptimizerOptions, DescribeEveryKeyOnce) {
  std::set<std::string> seen;
  for (const Json& row : describe_options<OptimizerOptions>())
    EXPECT_TRUE(seen.insert(row.at("key")).second) << row.at("key");
  for (const OptimizerEntry& entry : all_optimizers()) {
    for (const std::string& key : keys_of(entry).keys())
      EXPECT_TRUE(seen.count(key) == 1 || !entry.in_runs) << entry.name << " " << key;
  }
}

TEST(OptimizerOptions, ReadTheKeysOfEveryOptimizer) {
  const auto options = read_options<OptimizerOptions>(
      Config::parse(R"({"optimizer": "adamw-hf", "weight_decay": 0.5, "betas": [0.8, 0.7],
                        "correct_bias": false})"));
  EXPECT_EQ(options.name, "adamw-hf");
  EXPECT_EQ(options.weight_decay, 0.5);
  EXPECT_EQ(*options.keys.find("betas"), Json({0.8, 0.7}));
  EXPECT_EQ(*options.keys.find("correct_bias"), false);
  EXPECT_EQ(*options.keys.find("momentum"), 0.9);
  expect_error(Status::kArgument, "config key 'betas' takes two numbers, not 1",
               [] { read_options<OptimizerOptions>(Config::parse(R"({"betas": [0.9]})")); });
}

// Of every key and optimizer: a key is accepted exactly with the optimizers that read it.
TEST(OptimizerOptions, RefuseTheKeysOfOtherOptimizers) {
  for (const OptimizerEntry& owner : all_optimizers()) {
    if (!owner.in_runs) continue;
    for (const std::string& key : keys_of(owner).keys()) {
      Config user;
      user.set_json(key, *keys_of(owner).find(key));
      for (const OptimizerEntry& entry : all_optimizers()) {
        if (!entry.in_runs) continue;
        if (keys_of(entry).has(key)) {
          EXPECT_NO_THROW(refuse_keys_of_other_optimizers(user, entry.name));
        } else {
          expect_error(Status::kArgument,
                       cat("config key '", key, "' is set, but it goes with optimizer = "),
                       [&] { refuse_keys_of_other_optimizers(user, entry.name); });
        }
      }
    }
  }
}

}  // namespace
}  // namespace contrastive::optim
