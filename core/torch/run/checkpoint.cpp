// Save and resume of a run: the trainer's fields in and out of a TrainingState, and the checks that
// a resumed run is the same run.
#include <torch/headeronly/version.h>

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/io/atomic_folder.h"
#include "core/io/kept_readme.h"
#include "core/torch/tensors/openmp.h"
#include "core/torch/run/kept_checkpoints.h"
#include "core/torch/run/tasks.h"
#include "core/torch/run/trainer_state.h"

namespace contrastive::run {
namespace {

// The path of a further task's data may change; that the data are the same is seen by their
// fingerprint.
bool is_where_a_task_reads(const std::string& key) {
  const auto of_task = parse_task_key(key);
  return of_task && of_task->name == "dataset";
}

// Keys that change nothing of the updates made so far.
bool overridable(const std::string& key) {
  static const std::vector<std::string> kKeys = {"max_steps",
                                                 "epochs",
                                                 "dev",
                                                 "dev_task",
                                                 "dev_select",
                                                 "eval_every",
                                                 "eval_every_epochs",
                                                 "eval_each_epoch",
                                                 "evaluate_every",
                                                 "patience",
                                                 "early_stop",
                                                 "cache",
                                                 "metrics_file",
                                                 "metrics_csv",
                                                 "metrics_every",
                                                 "on_nan",
                                                 "watch_every",
                                                 "checkpoints",
                                                 "save_every",
                                                 "keep",
                                                 "data_threads",
                                                 "gradient_checkpointing"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end() || key.rfind("x-", 0) == 0 ||
         key.rfind("evaluate.", 0) == 0 || key.rfind(CardOptions::kPrefix, 0) == 0 ||
         is_where_a_task_reads(key);
}

[[noreturn]] void refuse_change(const std::string& key, const Json* before, const Json& wanted) {
  fail(Status::kMismatch, "config key '", key, "' cannot change when a run goes on: the run has ",
       before == nullptr ? "no such key" : dump_ascii(*before), ", not ", dump_ascii(wanted));
}

Config with_overrides(const Config& saved, const Config& resolved, const Config& overrides) {
  Config config = saved;
  for (const std::string& key : overrides.keys()) {
    const Json* before = resolved.find(key);
    const Json& wanted = *overrides.find(key);
    if ((before == nullptr || *before != wanted) && !overridable(key))
      refuse_change(key, before, wanted);
    config.set_json(key, wanted);
  }
  return config;
}

// Whether every stage has `key`, without its prefix, at this value.
bool all_stages_have(const Config& resolved, size_t stages, const std::string& key,
                     const Json& value) {
  for (size_t i = 0; i < stages; ++i) {
    const Json* own = resolved.find(cat("stage", i + 1, ".", key));
    if (own == nullptr || *own != value) return false;
  }
  return true;
}

// Of a run in stages that stands in `present`, from 0. What the overrides say goes before all that
// the saved run says: a key without a prefix holds for every stage that has no override of its own,
// whatever that stage had. The path of a later stage's data may change, the data may not.
Config with_stage_overrides(const Config& whole, size_t present, const Config& overrides) {
  const StagePlan plan = plan_stages(whole);
  check(plan.staged(), Status::kCorrupt,
        "training state: its field 'stages' is the config of a run without stages");
  const Config resolved = resolved_stages(plan);
  Config config = whole;
  for (const std::string& key : overrides.keys()) {
    const Json& wanted = *overrides.find(key);
    const Json *given = whole.find(key), *in_force = resolved.find(key);
    const auto of_stage = parse_stage_key(key);
    const bool same = (given != nullptr && *given == wanted) ||
                      (in_force != nullptr && *in_force == wanted) ||
                      (!of_stage && all_stages_have(resolved, plan.stages.size(), key, wanted));
    if (same) continue;
    const std::string& name = of_stage ? of_stage->name : key;
    if (!overridable(name) && !(of_stage && name == "dataset"))
      refuse_change(key, given != nullptr ? given : in_force, wanted);
    check(!of_stage || of_stage->part >= present, Status::kMismatch, "config key '", key,
          "' cannot change: the run is in stage ", present + 1);
    for (const std::string& other : whole.keys()) {
      const auto own = parse_stage_key(other);
      if (!of_stage && own && own->name == key && !overrides.has(other)) config.erase(other);
    }
    config.set_json(key, wanted);
  }
  return config;
}

void add(tensors::TorchTensorMap& to, const std::string& prefix,
         const tensors::TorchTensorMap& tensors) {
  for (const auto& [name, tensor] : tensors) to[prefix + name] = tensor.cpu();
}

tensors::TorchTensorMap part(const tensors::TorchTensorMap& from, const std::string& prefix) {
  tensors::TorchTensorMap tensors;
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
  check(saved == now, Status::kMismatch, "the run cannot go on: ", name, " was '", saved,
        "' and is '", now, "'");
}

// That of the first stage is compared as the run's own data; where that stage is over it matters no
// more.
void expect_same_stage_data(const JsonObject& fields, const StagePlan& plan) {
  const std::vector<std::string> now = fingerprints(plan);
  const Json& saved = fields.at("stage_data");
  check(saved.is_array() && saved.size() == now.size(), Status::kCorrupt, fields.source(),
        ": stage_data does not fit the stages");
  for (size_t i = 0; i < now.size(); ++i) {
    check(saved[i] == now[i], Status::kMismatch, "the run cannot go on: the data of 'stage", i + 2,
          ".dataset' were ", dump_ascii(saved[i]), " and are '", now[i], "'");
  }
}

constexpr double kLargest = std::numeric_limits<double>::max(),
                 kNone = std::numeric_limits<double>::quiet_NaN();

Json numbers(const std::map<std::string, double>& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = std::isfinite(value) ? Json(value) : Json();
  return json;
}

// What the watch measured, which stays in force until it looks again. Scores are restored where
// they are still those of the run.
std::map<std::string, double> of_views(std::map<std::string, double> values) {
  for (auto it = values.begin(); it != values.end();) {
    it = it->first.rfind("view.", 0) == 0 || it->first == "collapsed" ? std::next(it)
                                                                      : values.erase(it);
  }
  return values;
}

void measure_all(Metrics& metrics, const Json& values) {
  const JsonObject numbers(values, "training state: metrics");
  for (const auto& item : values.items())
    metrics.measure(item.key(), numbers.real(item.key().c_str(), -kLargest, kLargest, kNone));
}

std::string data_fingerprint(const data::Dataset* data) {
  return data == nullptr ? "none" : data->fingerprint();
}

}  // namespace

TrainingState TrainingRun::State::to_state() const {
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
                  {"truncated", truncated},
                  {"epoch", source ? source->epoch() : 0},
                  {"position", source ? source->position() : 0},
                  {"prepared", prepared},
                  {"evaluated_at", evaluated_at},
                  {"unsettled", unsettled},
                  {"optimizer_steps", optimizer->steps()},
                  {"early_stopping", stopping.state()},
                  {"loss_scale", scaler.state()},
                  {"collapse_watch", watch.state()},
                  {"method_state", own.values},
                  {"libtorch", TORCH_VERSION},
                  {"unrecorded", numbers(metrics.pending())},
                  {"views", numbers(of_views(metrics.measurements()))},
                  {"last_scores", last_scores.state()},
                  {"best_scores", best_scores.state()},
                  {"threads", at::get_num_threads()}};
  add_stage(state);
  return state;
}

void TrainingRun::State::from_state(const TrainingState& state) {
  const JsonObject fields(state.fields, "training state");
  expect_same(fields, "model", start->fingerprint());
  expect_same(fields, "data", data_fingerprint(data.get()));
  constexpr int64_t kMost = int64_t{1} << 53;
  step = fields.integer("step", 0, kMost);
  skipped = fields.integer("skipped", 0, kMost);
  truncated = fields.integer("truncated", 0, kMost);
  prepared = fields.boolean("prepared", false);
  evaluated_at = fields.integer("evaluated_at", -1, kMost);
  unsettled = fields.boolean("unsettled", false);
  if (source)
    source->restore(fields.integer("epoch", 0, kMost), fields.integer("position", 0, kMost));
  if (fields.has("last_scores")) last_scores.restore(fields.at("last_scores"));
  restore_selection(state);
  scaler.restore(fields.at("loss_scale"));
  watch.restore(fields.at("collapse_watch"));
  set_weights(part(state.tensors, "weight."));
  optimizer->restore(part(state.tensors, "optimizer."),
                     fields.integer("optimizer_steps", 0, kMost));
  method->load_state({part(state.tensors, "method."), fields.at("method_state")});
  // The bits of a matrix product depend on both; the run goes on well all the same.
  if (fields.string("libtorch", TORCH_VERSION) != TORCH_VERSION ||
      fields.integer("threads", 1, 1 << 20) != at::get_num_threads()) {
    log_warning("the run was saved by LibTorch ", fields.string("libtorch", "?"), " with ",
                fields.integer("threads", 1, 1 << 20), " threads and goes on with ", TORCH_VERSION,
                " and ", at::get_num_threads(), ": its numbers will differ in the last digits");
  }
  publish();
  if (fields.has("views")) measure_all(metrics, fields.at("views"));
  metrics.recorded();  // before the pause; but for what no record has yet
  if (fields.has("unrecorded")) measure_all(metrics, fields.at("unrecorded"));
}

// Scores of different figures cannot be compared: where another one selects from now on, the first
// evaluation is the best so far.
void TrainingRun::State::restore_selection(const TrainingState& state) {
  const JsonObject fields(state.fields, "training state");
  const std::string before = JsonObject(fields.at("resolved_config"), fields.source())
                                 .string("dev_select"),
                    &now = config.options.dev_select;
  if (before != now) {
    log_info("the best weights were chosen by ", before, " and are chosen anew, by ", now);
    evaluated_at = -1;
    return;
  }
  stopping.restore(fields.at("early_stopping"));
  best = part(state.tensors, "best.");
  if (fields.has("best_scores")) best_scores.restore(fields.at("best_scores"));
  if (!best.empty())
    check_weights(best, "best ");  // now, and not when the end of the run asks for them
  best_to_save =
      !best.empty();  // the folder may hold a better one, from a future that this run does not have
  if (evaluated_at < 0) return;
  metrics.measure(now, stopping.last());
  metrics.recorded();  // before the pause
}

void TrainingRun::State::save(const std::string& path) {
  // Model and state change places with the old ones together: the model folder is made inside the
  // hidden folder that is then committed.
  io::AtomicFolder folder(path);
  result(false)->save(folder.path());
  write_training_state(folder.path(), to_state());
  io::keep_readme(folder.target(), folder.path());
  folder.commit();
}

void TrainingRun::save(const std::string& path) const {
  tensors::settle_openmp();
  state_->save(path);
}

std::unique_ptr<TrainingRun> TrainingRun::resume(const std::string& given,
                                                 std::shared_ptr<model::Model> model,
                                                 std::shared_ptr<const data::Dataset> data,
                                                 const Config& overrides,
                                                 std::shared_ptr<dist::World> world) {
  tensors::settle_openmp();
  return State::among_ranks(world, [&] {
    return State::resumed(given, std::move(model), std::move(data), overrides, world);
  });
}

std::unique_ptr<TrainingRun> TrainingRun::State::resumed(
    const std::string& given, std::shared_ptr<model::Model> model,
    std::shared_ptr<const data::Dataset> data, const Config& overrides,
    const std::shared_ptr<dist::World>& world) {
  std::string path = given;
  if (!has_training_state(given)) {
    const std::string newest = newest_checkpoint(given);
    if (!newest.empty()) {
      log_info(given, " is a folder of checkpoints; the run goes on from the newest, ", newest);
      path = newest;
    }
  }
  const TrainingState saved = read_training_state(path);
  const JsonObject fields(saved.fields, path + ": training state");
  const Config config = config_of(fields, "config"),
               resolved = config_of(fields, "resolved_config");
  StagePlan stages;
  size_t stage = 0;
  if (fields.has("stages")) {
    stage = static_cast<size_t>(fields.integer("stage", 0, 1000));
    stages = plan_stages(with_stage_overrides(config_of(fields, "stages"), stage, overrides),
                         model == nullptr ? nullptr : &model->encoder().architecture());
    check(stage < stages.stages.size(), Status::kCorrupt, fields.source(),
          ": the run stands in stage ", stage + 1, " of ", stages.stages.size());
    open_datasets(stages);
    expect_same_stage_data(fields, stages);
  }
  if (stage > 0) {
    model = State::start_of_stage(saved, model);
    data = stages.datasets[stage];
  }
  RunConfig run = read_run_config(stages.staged() ? stages.stages[stage]
                                                  : with_overrides(config, resolved, overrides),
                                  data != nullptr);
  const std::string& checkpoints = run.options.checkpoints;
  const bool same_run = (!checkpoints.empty() && lies_in(path, checkpoints)) ||
                        !resolved.has("checkpoints") || checkpoints_of(resolved) == checkpoints;
  if (!checkpoints.empty() && !same_run) refuse_used_checkpoints(checkpoints);
  RunInputs inputs = open_inputs(run, std::move(data));
  auto state = std::make_unique<State>(std::move(model), std::move(run), std::move(inputs), world);
  state->stage = stage;
  state->begin_stages(std::move(stages));
  if (stage > 0) state->first_model = fields.string("first_model");
  state->from_state(saved);
  state->compare_ranks();
  return std::unique_ptr<TrainingRun>(new TrainingRun(std::move(state)));
}

}  // namespace contrastive::run
