#include "core/torch/methods/consert/consert_presets.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/nearest.h"

namespace contrastive::methods {
namespace {

constexpr const char* kCommon = R"({
  "consert.pooling": "mean", "consert.max_length": 64, "batch_size": 96, "optimizer": "adamw-hf", "correct_bias": false, "eps": 1e-6,
  "weight_decay": 0.01, "clip_norm": 1, "schedule": "warmup-linear", "warmup_ratio": 0.1, "eval_every": 200, "eval_each_epoch": true})";

// Batch 96 and the rest of kCommon everywhere. `first` is the row that a run in two stages begins
// with.
struct Row {
  const char* name;
  const char* mode;
  const char* values;
  const char* first = nullptr;
};
constexpr Row kRows[] = {
    {"unsup-base", "unsup",
     R"({"consert.view1": "feature-cutoff", "consert.view2": "shuffle", "consert.dropout": false, "epochs": 10, "lr": 5e-7, "patience": 10})"},
    {"unsup-large", "unsup",
     R"({"consert.view2": "shuffle", "epochs": 25, "lr": 5e-7, "patience": 10, "eval_every": 100})"},
    {"sup-base", "sup",
     R"({"consert.nli_features": ["uv", "absdiff", "maxsq"], "epochs": 1, "lr": 2e-5})"},
    {"sup-large", "sup",
     R"({"consert.nli_features": ["uv", "absdiff", "maxsq"], "epochs": 1, "lr": 2e-5})"},
    {"joint-base", "joint",
     R"({"consert.nli_features": ["uv", "absdiff", "maxsq"], "consert.view2": "token-cutoff", "consert.cutoff_rate2": 0.1, "epochs": 1,
         "lr": 2e-5})"},
    {"joint-large", "joint",
     R"({"consert.nli_features": ["uv", "absdiff", "maxsq"], "consert.view2": "token-cutoff", "consert.cutoff_rate2": 0.1, "epochs": 1, "lr": 2e-5,
         "consert.max_length": 40})"},
    {"sup-unsup-base", "sup-unsup",
     R"({"consert.view2": "feature-cutoff", "consert.cutoff_rate2": 0.1, "epochs": 25, "lr": 5e-7, "patience": 10})",
     "sup-base"},
    {"sup-unsup-large", "sup-unsup",
     R"({"consert.view2": "feature-cutoff", "consert.cutoff_rate2": 0.1, "epochs": 10, "lr": 5e-7, "patience": 10})",
     "sup-large"},
    {"joint-unsup-base", "joint-unsup",
     R"({"consert.view2": "shuffle", "epochs": 25, "lr": 5e-7, "patience": 10})", "joint-base"},
    {"joint-unsup-large", "joint-unsup",
     R"({"consert.view2": "shuffle", "epochs": 10, "lr": 5e-7, "patience": 10, "consert.max_length": 40})",
     "joint-large"},
};

constexpr const char* kAuto = "auto";
constexpr const char* kReleased = "consert-code";
// The paper's classifier, which the presets of the scripts replace.
constexpr const char* kPaper = R"({"consert.nli_features": ["uv", "absdiff"]})";
// What the released code does, even if its script differs (core/torch/methods/consert/README.md 5);
// consert.cpp handles its position ids of RoBERTa.
constexpr const char* kReleasedCode =
    R"({"consert.nli_features": ["uv", "absdiff", "maxsq"], "consert.reduction": "two-sided", "consert.max_length": 67,
        "consert.alpha_everywhere": true})";

const Row& find_row(std::string_view name) {
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                 [&](const Row& r) { return name == r.name; });
  check(row != std::end(kRows), Status::kArgument,
        "config keys 'consert.preset' and 'consert.mode' name no row of values: ", name);
  return *row;
}

// Runs before a row is looked up: for an unknown name the error lists the names.
std::string text_of(const Config& config, const char* key, const std::vector<std::string>& legal,
                    const std::string& absent) {
  const Json* value = config.find(key);
  if (value == nullptr) return absent;
  const std::string name = value->is_string() ? value->get<std::string>() : value->dump();
  const bool known = std::find(legal.begin(), legal.end(), name) != legal.end();
  check(known, Status::kArgument, "config key '", key, "': ", unknown_name("value", name, legal));
  return name;
}

std::vector<std::string> modes() {
  std::vector<std::string> names;
  for (const Row& row : kRows) {
    if (std::find(names.begin(), names.end(), row.mode) == names.end())
      names.emplace_back(row.mode);
  }
  return names;
}

bool is_row(const std::string& preset) { return preset != kAuto && preset != kReleased; }

// The result for a config: a row, and the mode for which its values are meant.
struct Choice {
  const Row* row;
  std::string mode, preset;
};

// One stage of a row with two stages may be requested: the first one is also a separate row.
Choice choice_of(const Config& config) {
  const std::string preset = text_of(config, "consert.preset", consert_preset_names(), kAuto);
  if (!is_row(preset)) {
    const std::string mode = text_of(config, "consert.mode", modes(), "unsup");
    return {&find_row(mode + "-base"), mode, preset};
  }
  const Row& row = find_row(preset);
  const std::string mode = text_of(config, "consert.mode", modes(), row.mode);
  if (mode == row.mode) return {&row, mode, preset};
  if (row.first != nullptr) {
    const Row& first = find_row(row.first);
    if (mode == first.mode) return {&first, mode, preset};
    if (mode == "unsup") return {&row, mode, preset};
  }
  fail(Status::kArgument, "config key 'consert.mode' is ", mode, ", but consert.preset = ", preset,
       " has the mode ", row.mode, ": give one of the two");
}

}  // namespace

std::vector<std::string> consert_preset_names() {
  std::vector<std::string> names = {kAuto};
  for (const Row& row : kRows) names.emplace_back(row.name);
  names.emplace_back(kReleased);
  return names;
}

Config consert_defaults(const Config& config) {
  const Choice choice = choice_of(config);
  Config values = Config::parse(kCommon);
  values.merge(Config::parse(choice.row->values));
  if (choice.preset == kAuto) values.merge(Config::parse(kPaper));
  // The presets' model is evaluated as the paper and the code evaluate theirs.
  if (choice.preset != kAuto) values.set_json("consert.eval_pooling", "last2");
  if (choice.preset == kReleased) values.merge(Config::parse(kReleasedCode));
  // A row's rate belongs to the row's own cutoff; a view without that cutoff has its usual rate.
  for (const std::string number : {"1", "2"}) {
    const Json *asked = config.find("consert.view" + number),
               *usual = values.find("consert.view" + number);
    if (asked == nullptr) continue;
    const bool same =
        usual != nullptr && asked->is_string() &&
        asked->get<std::string>().find(usual->get<std::string>()) != std::string::npos;
    if (!same) values.erase("consert.cutoff_rate" + number);
  }
  values.set_json("consert.preset", choice.preset);
  values.set_json("consert.mode", choice.mode);
  return values;
}

bool is_consert_stage(const Config& config) {
  const Choice choice = choice_of(config);
  return is_row(choice.preset) && choice.mode != find_row(choice.preset).mode;
}

std::vector<Config> consert_stages(const Config& config) {
  const Choice choice = choice_of(config);
  if (choice.row->first == nullptr || choice.mode != choice.row->mode) return {};
  std::vector<Config> stages(2);
  for (Config& stage : stages)
    stage.set_json("consert.preset", choice.preset == kAuto ? choice.row->name : choice.preset);
  // The row is auto's choice; its pooling is not.
  for (Config& stage : stages) {
    if (choice.preset == kAuto && !config.has("consert.eval_pooling"))
      stage.set_json("consert.eval_pooling", "");
  }
  stages[0].set_json("consert.mode", find_row(choice.row->first).mode);
  stages[1].set_json("consert.mode", "unsup");
  if (choice.preset == kAuto) stages[0].merge(Config::parse(kPaper));
  // The released code has no rows itself: without these keys the second stage would be that of a
  // run without a first stage.
  if (choice.preset == kReleased) {
    const Config own = Config::parse(choice.row->values);
    for (const char* key : {"consert.view2", "consert.cutoff_rate2", "epochs"}) {
      if (own.has(key)) stages[1].set_json(key, *own.find(key));
    }
    stages[1].merge(Config::parse(R"({"consert.view1": "none", "consert.dropout": true})"));
  }
  return stages;
}

}  // namespace contrastive::methods
