#include "core/torch/run/stages.h"

#include "core/base/error.h"
#include "core/base/named_by_key.h"
#include "core/data/data_options.h"
#include "core/torch/run/numbered_keys.h"
#include "core/torch/run/tasks.h"
#include "core/torch/methods/registry.h"
#include "core/torch/run/train_options.h"

namespace contrastive::run {
namespace {

constexpr const char* kDataset = "dataset";

constexpr const char* kNoun = "stage";

std::string prefix_of(size_t stage) { return prefix_of_part(kNoun, stage); }

bool is_stage_key(const std::string& key) { return parse_stage_key(key).has_value(); }

const methods::MethodEntry* method_of(const Config& config) {
  const Json* name = config.find("method");
  return name != nullptr && name->is_string() ? &methods::find_method(name->get<std::string>())
                                              : nullptr;
}

Config preset_keys_of(const methods::MethodEntry& method, const Config& config) {
  Config presets;
  for (const std::string& key : method.describe({}).preset_keys) {
    if (config.has(key)) presets.set_json(key, *config.find(key));
  }
  return presets;
}

// `own`: the method's settings for this stage. They have priority if presets define the stages, and
// otherwise not.
Config config_of_stage(const Config& whole, const Config& own, const Config& presets,
                       size_t stage) {
  Config config = own;
  for (const std::string& key : whole.keys()) {
    const bool of_another_file = stage > 0 && key.rfind(data::DataOptions::kPrefix, 0) == 0;
    if (!is_stage_key(key) && !presets.has(key) && !of_another_file)
      config.set_json(key, *whole.find(key));
  }
  Config given = keys_under(whole, prefix_of(stage));
  given.erase(kDataset);
  config.merge(given);
  return config;
}

}  // namespace

std::optional<NumberedKey> parse_stage_key(const std::string& key) {
  return parse_numbered_key(key, kNoun);
}

bool is_path_of_stage_data(const std::string& key) {
  const auto parsed = parse_stage_key(key);
  return parsed && parsed->name == kDataset;
}

StagePlan plan_stages(const Config& config, const encoder::Architecture* shape) {
  StagePlan plan;
  plan.whole = config;
  const methods::MethodEntry* method = method_of(config);
  if (method == nullptr) return plan;  // read_run_config() reports the error
  const Config presets = preset_keys_of(*method, config);
  const std::vector<Config> own = method->describe(presets).stages;
  if (!own.empty())
    refuse_tasks(config, "the run trains in stages, each of which is a run on one dataset");
  for (size_t i = 0; i < own.size(); ++i) {
    plan.stages.push_back(config_of_stage(config, own[i], presets, i));
    const std::string dataset = prefix_of(i) + kDataset;
    check(i == 0 || config.has(dataset), Status::kArgument, "config key '", dataset,
          "' is missing: the file that stage ", i + 1, " trains on");
    check(i > 0 || !config.has(dataset), Status::kArgument, "config key '", dataset,
          "': the first stage trains on the dataset of the run");
    of_part(config, kNoun, i, [&] { return read_run_config(plan.stages[i], true, shape); });
  }
  for (const std::string& key : config.keys()) {
    const auto parsed = parse_stage_key(key);
    if (!parsed) continue;
    check(plan.staged(), Status::kArgument, "config key '", key, "': the run has no stages");
    check(parsed->part < own.size(), Status::kArgument, "config key '", key, "': the run has ",
          own.size(), " stages");
  }
  return plan;
}

void open_datasets(StagePlan& plan) {
  plan.datasets.resize(plan.stages.size());
  for (size_t i = 1; i < plan.stages.size(); ++i) {
    const std::string key = prefix_of(i) + kDataset;
    const Json& path = *plan.whole.find(key);
    check(path.is_string(), Status::kArgument, "config key '", key, "' takes the path of a file");
    plan.datasets[i] = named_by_key(key, [&] {
      return data::open_dataset(path.get<std::string>(), plan.stages[i]);
    });
  }
}

RunInputs open_stages(StagePlan& plan, std::shared_ptr<const data::Dataset> first) {
  open_datasets(plan);
  RunInputs inputs;
  for (size_t i = 0; i < plan.stages.size(); ++i) {
    RunInputs own = of_part(plan.whole, kNoun, i, [&] {
      return open_inputs(read_run_config(plan.stages[i], true), i == 0 ? first : plan.datasets[i]);
    });
    if (i == 0) inputs = std::move(own);
  }
  return inputs;
}

Config resolved_stages(const StagePlan& plan) {
  const methods::MethodEntry& method = *method_of(plan.whole);
  Config resolved = preset_keys_of(method, plan.whole);
  resolved.set("method", method.name);
  for (size_t i = 0; i < plan.stages.size(); ++i) {
    const Config complete = read_run_config(plan.stages[i], true).complete;
    for (const std::string& key : complete.keys()) {
      if (key != "method") resolved.set_json(prefix_of(i) + key, *complete.find(key));
    }
    const std::string dataset = prefix_of(i) + kDataset;
    if (plan.whole.has(dataset)) resolved.set_json(dataset, *plan.whole.find(dataset));
  }
  return resolved;
}

std::vector<std::string> fingerprints(const StagePlan& plan) {
  std::vector<std::string> all;
  for (size_t i = 1; i < plan.datasets.size(); ++i) all.push_back(plan.datasets[i]->fingerprint());
  return all;
}

}  // namespace contrastive::run
