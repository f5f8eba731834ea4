// Save and resume of a run: the trainer's fields in and out of a TrainingState, and the checks that a resumed run is the same run.
#include <torch/headeronly/version.h>

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/io/atomic_folder.h"
#include "core/train/trainer_state.h"

namespace contrastive::train {
namespace {

// Keys that change nothing of the updates made so far.
const std::vector<std::string>& overridable() {
  static const std::vector<std::string> kKeys = {"max_steps", "epochs", "dev", "dev_task", "eval_every", "eval_every_epochs", "patience",
                                                 "early_stop", "cache", "metrics_file", "metrics_csv", "metrics_every", "on_nan",
                                                 "watch_every", "checkpoints", "save_every", "keep", "data_threads", "gradient_checkpointing"};
  return kKeys;
}

Config with_overrides(const Config& saved, const Config& resolved, const Config& overrides) {
  Config config = saved;
  for (const std::string& key : overrides.keys()) {
    const Json* before = resolved.find(key);
    const bool same = before != nullptr && *before == *overrides.find(key);
    const bool free = std::find(overridable().begin(), overridable().end(), key) != overridable().end() || key.rfind("x-", 0) == 0;
    check(same || free, Status::kMismatch, "config key '", key, "' cannot change when a run goes on: the run has ",
          before == nullptr ? "no such key" : dump_ascii(*before), ", not ", dump_ascii(*overrides.find(key)));
    config.set_json(key, *overrides.find(key));
  }
  return config;
}

void add(io::TensorMap& to, const std::string& prefix, const io::TensorMap& tensors) {
  for (const auto& [name, tensor] : tensors) to[prefix + name] = tensor.cpu();
}

io::TensorMap part(const io::TensorMap& from, const std::string& prefix) {
  io::TensorMap tensors;
  for (const auto& [name, tensor] : from) {
    if (name.rfind(prefix, 0) == 0) tensors[name.substr(prefix.size())] = tensor;
  }
  return tensors;
}

Config config_of(const JsonObject& fields, const char* name) {
  Config config;
  for (const auto& [key, value] : fields.at(name).items()) config.set_json(key, value);
  return config;
}

void expect_same(const JsonObject& fields, const char* name, const std::string& now) {
  const std::string saved = fields.string(name);
  check(saved == now, Status::kMismatch, "the run cannot go on: ", name, " was '", saved, "' and is '", now, "'");
}

std::string data_fingerprint(const data::Dataset* data) { return data == nullptr ? "none" : data->fingerprint(); }

}  // namespace

TrainingState Trainer::State::to_state() const {
  TrainingState state;
  const methods::MethodState own = method->save_state();
  add(state.tensors, "weight.", copy_weights());
  add(state.tensors, "optimizer.", optimizer->state());
  add(state.tensors, "best.", best);
  add(state.tensors, "method.", own.tensors);
  state.fields = {{"method", config.options.method},
                  {"config", config.user.to_json()},
                  {"resolved_config", config.complete.to_json()},
                  {"model", start->fingerprint()},
                  {"data", data_fingerprint(data.get())},
                  {"step", step},
                  {"skipped", skipped},
                  {"epoch", source ? source->epoch() : 0},
                  {"position", source ? source->position() : 0},
                  {"prepared", prepared},
                  {"evaluated_at", evaluated_at},
                  {"optimizer_steps", optimizer->steps()},
                  {"early_stopping", stopping.state()},
                  {"loss_scale", scaler.state()},
                  {"collapse_watch", watch.state()},
                  {"method_state", own.values},
                  {"libtorch", TORCH_VERSION},
                  {"threads", at::get_num_threads()}};
  add_stage(state);
  return state;
}

void Trainer::State::from_state(const TrainingState& state) {
  const JsonObject fields(state.fields, "training state");
  expect_same(fields, "model", start->fingerprint());
  expect_same(fields, "data", data_fingerprint(data.get()));
  constexpr int64_t kMost = int64_t{1} << 53;
  step = fields.integer("step", 0, kMost);
  skipped = fields.integer("skipped", 0, kMost);
  prepared = fields.boolean("prepared", false);
  evaluated_at = fields.integer("evaluated_at", -1, kMost);
  if (source) source->restore(fields.integer("epoch", 0, kMost), fields.integer("position", 0, kMost));
  stopping.restore(fields.at("early_stopping"));
  scaler.restore(fields.at("loss_scale"));
  watch.restore(fields.at("collapse_watch"));
  best = part(state.tensors, "best.");
  set_weights(part(state.tensors, "weight."));
  optimizer->restore(part(state.tensors, "optimizer."), fields.integer("optimizer_steps", 0, kMost));
  method->load_state({part(state.tensors, "method."), fields.at("method_state")});
  // The bits of a matrix product depend on both; the run goes on well all the same.
  if (fields.string("libtorch", TORCH_VERSION) != TORCH_VERSION || fields.integer("threads", 1, 1 << 20) != at::get_num_threads()) {
    log_warning("the run was saved by LibTorch ", fields.string("libtorch", "?"), " with ", fields.integer("threads", 1, 1 << 20),
                " threads and goes on with ", TORCH_VERSION, " and ", at::get_num_threads(), ": its numbers will differ in the last digits");
  }
  publish();
}

void Trainer::State::save(const std::string& path) {
  // Model and state change places with the old ones together: the model folder is made inside the hidden folder that is then committed.
  io::AtomicFolder folder(path);
  trained(false)->save(folder.path());
  write_training_state(folder.path(), to_state());
  folder.commit();
}

void Trainer::save(const std::string& path) const { state_->save(path); }

std::unique_ptr<Trainer> Trainer::resume(const std::string& path, std::shared_ptr<model::SentenceEncoder> model,
                                         std::shared_ptr<const data::Dataset> data, const Config& overrides) {
  const TrainingState saved = read_training_state(path);
  const JsonObject fields(saved.fields, path + ": training state");
  const Config config = config_of(fields, "config"), resolved = config_of(fields, "resolved_config");
  StagePlan stages;
  size_t stage = 0;
  if (fields.has("stages")) {
    stages = plan_stages(config_of(fields, "stages"));
    stage = static_cast<size_t>(fields.integer("stage", 0, static_cast<int64_t>(stages.stages.size()) - 1));
    open_datasets(stages);
  }
  if (stage > 0) {
    model = State::start_of_stage(saved, model);
    data = stages.datasets[stage];
  }
  RunConfig run = read_run_config(with_overrides(config, resolved, overrides), data != nullptr);
  auto state = std::make_unique<State>(std::move(model), std::move(data), std::move(run));
  state->stage = stage;
  state->begin_stages(std::move(stages));
  if (stage > 0) state->first_model = fields.string("first_model");
  state->from_state(saved);
  return std::unique_ptr<Trainer>(new Trainer(std::move(state)));
}

}  // namespace contrastive::train
