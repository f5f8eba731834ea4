#include "core/torch/run/stages.h"

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/named_by_key.h"
#include "core/data/data_options.h"
#include "core/torch/nn/torch_encoder.h"
#include "core/torch/run/numbered_keys.h"
#include "core/torch/run/tasks.h"
#include "core/torch/run/trainer_state.h"

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

// `own`: what the method says of this stage. It wins where presets decide what the stages are, and
// loses everywhere else.
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

StagePlan plan_stages(const Config& config, const encoder::Architecture* shape) {
  StagePlan plan;
  plan.whole = config;
  const methods::MethodEntry* method = method_of(config);
  if (method == nullptr) return plan;  // read_run_config() says what is wrong
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

void TrainingRun::State::begin_stages(StagePlan all) {
  stages = std::move(all);
  if (!stages.staged()) return;
  first_model = start->fingerprint();
  publish();
}

std::unique_ptr<TrainingRun::State> TrainingRun::State::next_stage() {
  const size_t next = stage + 1;
  if (next >= stages.stages.size()) return nullptr;
  log_info("stage ", next, " of ", stages.stages.size(), " is over after ", step,
           " updates; the next one begins with its ", best.empty() ? "last" : "best", " weights");
  RunConfig run = read_run_config(stages.stages[next], true);
  RunInputs inputs = open_inputs(run, stages.datasets[next]);
  auto state = std::make_unique<State>(result(true), std::move(run), std::move(inputs), world);
  state->stage = next;
  state->first_model = first_model;
  state->stages =
      stages;  // a copy: where publish() finds no memory, this stage is still the one that ends
  state->publish();
  return state;
}

// What the stage began as, beside the model that the run began as.
void TrainingRun::State::add_stage(TrainingState& saved) const {
  if (!stages.staged()) return;
  saved.fields["stage"] = stage;
  saved.fields["stages"] = stages.whole.to_json();
  saved.fields["stage_data"] = fingerprints(stages);
  if (stage == 0) return;
  saved.fields["first_model"] = first_model;
  saved.fields["start_poolings"] = start->folder().poolings;
  saved.fields["start_dense"] = start->folder().dense.size();
  for (const auto& [name, tensor] : start->encoder().named_parameters())
    saved.tensors["start." + name] = tensors::to_torch(tensor);
}

std::shared_ptr<model::Model> TrainingRun::State::start_of_stage(
    const TrainingState& saved, const std::shared_ptr<model::Model>& first) {
  const JsonObject fields(saved.fields, "training state");
  const std::string model = fields.string("first_model");
  check(first->fingerprint() == model, Status::kMismatch, "the run cannot go on: model was '",
        model, "' and is '", first->fingerprint(), "'");
  const auto encoder = model::sentence_encoder(first);
  check(encoder != nullptr, Status::kState, "a run in stages goes on with a sentence encoder");
  std::shared_ptr<model::SentenceEncoder> start = encoder->snapshot();
  std::vector<std::string> poolings;
  for (const Json& pooling : fields.at("start_poolings")) {
    check(pooling.is_string(), Status::kFormat, fields.source(), ": start_poolings holds ",
          dump_ascii(pooling), ", not the name of a pooling");
    poolings.push_back(pooling.get<std::string>());
  }
  start->set_pooling(std::move(poolings));
  if (fields.integer("start_dense", 0, 1 << 20) == 0) start->set_dense({});
  if (start->encoder().precision() != runtime::Precision::kFloat32)
    return start;  // no stage before has trained it
  for (const auto& [name, tensor] : nn::trainable(start->encoder()).named_parameters()) {
    const auto found = saved.tensors.find("start." + name);
    check(found != saved.tensors.end() && found->second.sizes() == tensor.sizes(),
          Status::kMismatch, "the saved run has no weight '", name,
          "' of this shape that its stage began with");
    tensor.detach().copy_(found->second);
  }
  return start;
}

}  // namespace contrastive::run
