// A resolved config agrees with what the run does, for every value of every choice key of every
// registered method.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/torch/run/train_options.h"
#include "tests/methods_contract/contract.h"

namespace contrastive::methods {
namespace {

using run::RunConfig;

class Defaults : public ::testing::TestWithParam<std::string> {
 protected:
  // Each choice or on/off key of the method, with its values.
  std::map<std::string, std::vector<Json>> choices() const {
    std::map<std::string, std::vector<Json>> found;
    for (const Json& row : find_method(GetParam()).describe({}).rows) {
      if (row.contains("values")) found[row.at("key")] = row.at("values").get<std::vector<Json>>();
      if (row.at("default").is_boolean()) found[row.at("key")] = {false, true};
    }
    return found;
  }
  Config config(const std::string& key, const Json& value) const {
    Config config = Config::parse(R"({"dev": "dev.tsv"})");  // so that keys about it may be set
    config.set("method", GetParam());
    config.set_json(key, value);
    return config;
  }
};

// False if the config is refused, because not every choice works with the defaults of the other
// keys.
bool read(const Config& config, RunConfig& run) {
  try {
    run = run::read_run_config(config, true);
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::kArgument) << error.message();
    return false;
  }
  return true;
}

void expect_said_as_done(const RunConfig& run) {
  const Config done = dump_options(run.options);
  for (const std::string& key : done.keys()) {
    const Json* said = run.complete.find(key);
    if (said != nullptr) {
      EXPECT_EQ(*said, *done.find(key)) << key;
    }
    // The only keys left out are those in two units, of which one disables the other.
    const std::set<std::string> units = {"warmup_steps", "warmup_ratio",      "warmup_epochs",
                                         "eval_every",   "eval_every_epochs", "max_steps",
                                         "epochs"};
    EXPECT_TRUE(said != nullptr || units.count(key) > 0) << key;
  }
  RunConfig again;
  ASSERT_TRUE(read(run.complete, again)) << run.complete.to_json();
  EXPECT_EQ(again.complete.to_json(), run.complete.to_json());
  EXPECT_EQ(dump_options(again.options).to_json(), done.to_json());
}

TEST_P(Defaults, OnlyPresetKeysDecideThem) {
  const MethodEntry& method = find_method(GetParam());
  const MethodTraits plain = method.describe({});
  for (const auto& [key, values] : choices()) {
    if (std::count(plain.preset_keys.begin(), plain.preset_keys.end(), key) > 0) continue;
    for (const Json& value : values) {
      Config own;
      own.set_json(key, value);
      MethodTraits traits;
      try {
        traits = method.describe(own);
      } catch (const Error&) {
        continue;  // refused with the defaults of the other keys
      }
      EXPECT_EQ(traits.training_defaults.to_json(), plain.training_defaults.to_json())
          << key << " = " << value;
      EXPECT_EQ(traits.rows, plain.rows) << key << " = " << value;
    }
  }
}

TEST_P(Defaults, TheResolvedConfigSaysWhatIsInForce) {
  for (const auto& [key, values] : choices()) {
    size_t accepted = 0;
    for (const Json& value : values) {
      SCOPED_TRACE(cat(key, " = ", value.dump()));
      RunConfig run;
      if (!read(config(key, value), run)) continue;
      ++accepted;
      ASSERT_NE(run.complete.find(key), nullptr);
      EXPECT_EQ(*run.complete.find(key), value);
      expect_said_as_done(run);
    }
    EXPECT_GT(accepted, 0u) << key;
  }
}

// A value that is the default with one choice counts as set by the user with another.
TEST_P(Defaults, AnExplicitValueSurvivesWhereverItIsADefault) {
  for (const std::string& key : find_method(GetParam()).describe({}).preset_keys) {
    const std::vector<Json> values = choices().at(key);
    std::map<std::string, std::set<Json>>
        defaults;  // of each other key, over all values of this one
    for (const Json& value : values) {
      RunConfig run;
      ASSERT_TRUE(read(config(key, value), run)) << value;
      for (const std::string& other : run.complete.keys()) {
        if (other != key) defaults[other].insert(*run.complete.find(other));
      }
    }
    size_t tried = 0;
    for (const auto& [other, own] : defaults) {
      if (own.size() < 2) continue;
      for (const Json& value : values) {
        for (const Json& given : own) {
          Config both = config(key, value);
          both.set_json(other, given);
          RunConfig run;
          if (!read(both, run)) continue;
          SCOPED_TRACE(both.to_json().dump());
          ++tried;
          ASSERT_NE(run.complete.find(other), nullptr);
          EXPECT_EQ(*run.complete.find(other), given);
          const Config done = dump_options(run.options);
          EXPECT_EQ(done.has(other) ? *done.find(other) : given, given);
        }
      }
    }
    EXPECT_GT(tried, 0u) << key << " decides nothing";
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Defaults, ::testing::ValuesIn(method_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace contrastive::methods
