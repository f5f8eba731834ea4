#include "core/torch/methods/lora_options.h"

#include <algorithm>

#include "core/base/config.h"
#include "core/torch/methods/registry.h"
#include "tests/core/torch/run/toy.h"
#include "tests/expect_error.h"

namespace contrastive::methods {
namespace {

LoraOptions options_of(const std::string& json) {
  return read_options<LoraOptions>(Config::parse(json));
}

TEST(LoraOptions, AreOffUntilARankIsGiven) {
  const encoder::Architecture shape = tiny_model()->shape();
  EXPECT_FALSE(options_of("{}").on());
  EXPECT_TRUE(options_of(R"({"lora_targets": ["nothing"]})").places(shape, "mnrl.").empty());
  const auto layers = static_cast<size_t>(shape.num_hidden_layers);
  EXPECT_EQ(options_of(R"({"lora_rank": 4})").places(shape, "mnrl.").size(), 2 * layers)
      << "query and value";
  EXPECT_EQ(options_of(R"({"lora_rank": 4, "lora_targets": "all"})").places(shape, "mnrl.").size(),
            6 * layers);
}

TEST(LoraOptions, WhatTheModelDoesNotHaveIsNamedByItsKey) {
  const encoder::Architecture shape = tiny_model()->shape();
  expect_error(Status::kArgument, "config key 'mnrl.lora_targets'", [&] {
    options_of(R"({"lora_rank": 4, "lora_targets": ["q_lin"]})").places(shape, "mnrl.");
  });
  expect_error(Status::kArgument, "config key 'mnrl.lora_targets' is empty", [&] {
    options_of(R"({"lora_rank": 4, "lora_targets": []})").places(shape, "mnrl.");
  });
  expect_error(Status::kArgument, "config key 'mnrl.lora_rank' is 1000",
               [&] { options_of(R"({"lora_rank": 1000})").places(shape, "mnrl."); });
  expect_error(Status::kArgument, "lora_dropout", [&] { options_of(R"({"lora_dropout": 1})"); });
  // Checked before weights are read, like all keys that depend on the model's shape.
  Config config = Config::parse(R"({"mnrl.lora_rank": 4, "mnrl.lora_targets": ["q_lin"]})");
  expect_error(Status::kArgument, "mnrl.lora_targets",
               [&] { find_method("mnrl").describe(config).check_shape(shape); });
}

TEST(LoraOptions, WithoutARankTheOtherKeysAreRefused) {
  size_t tried = 0;
  for (const MethodEntry& entry : all_methods()) {
    const std::string prefix = entry.name;
    const Json rows = entry.describe({}).rows;
    if (std::none_of(rows.begin(), rows.end(),
                     [&](const Json& row) { return row.at("key") == prefix + ".lora_rank"; }))
      continue;
    ++tried;
    for (const char* key : {"lora_alpha", "lora_dropout", "lora_targets"}) {
      const Json value = key == std::string("lora_targets") ? Json("key") : Json(0.5);
      Config config;
      config.set_json(prefix + "." + key, value);
      expect_error(Status::kArgument, std::string("goes with ") + prefix + ".lora_rank only",
                   [&] { entry.describe(config); });
      config.set_json(prefix + ".lora_rank", 2);
      entry.describe(config);
    }
  }
  EXPECT_GE(tried, 7u);
}

}  // namespace
}  // namespace contrastive::methods
