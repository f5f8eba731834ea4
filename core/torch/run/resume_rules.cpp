#include "core/torch/run/resume_rules.h"

#include <ATen/Parallel.h>
#include <torch/headeronly/version.h>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/options.h"
#include "core/torch/run/task_evaluations.h"
#include "core/torch/run/tasks.h"
#include "core/torch/run/training_run.h"

namespace contrastive::run {
namespace {

bool may_change(const std::string& key) {
  if (begins_with(key, "x-")) return true;  // the caller's own
  static const Json kRows = describe_config("");
  // The keys of all further tasks are described as the second task's.
  const auto of_task = parse_task_key(key);
  const std::string described = of_task ? cat("task2.", of_task->name) : key;
  for (const Json& row : kRows) {
    if (row["key"] == described) return may_change_on_resume(row);
  }
  // read_run_config() reports an unknown key of a task.
  return begins_with(key, TaskEvaluations::kPrefix);
}

[[noreturn]] void refuse_change(const std::string& key, const Json* before, const Json& wanted) {
  fail(Status::kMismatch, "config key '", key,
       "' cannot change when a run is resumed: the run has ",
       before == nullptr ? "no such key" : dump_ascii(*before), ", not ", dump_ascii(wanted));
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

std::string fingerprint_of(const data::Dataset* data) {
  return data == nullptr ? "none" : data->fingerprint();
}

void expect_same(const JsonObject& fields, const char* name, const std::string& now) {
  const std::string saved = fields.string(name);
  check(saved == now, Status::kMismatch, "the run cannot be resumed: ", name, " was '", saved,
        "' and is '", now, "'");
}

}  // namespace

Config with_overrides(const Config& saved, const Config& resolved, const Config& overrides) {
  Config config = saved;
  for (const std::string& key : overrides.keys()) {
    const Json* before = resolved.find(key);
    const Json& wanted = *overrides.find(key);
    if ((before == nullptr || *before != wanted) && !may_change(key))
      refuse_change(key, before, wanted);
    config.set_json(key, wanted);
  }
  return config;
}

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
    if (!may_change(name) && !is_path_of_stage_data(key))
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

void RunIdentity::save(TrainingState& state) const {
  state.fields["method"] = config.options.method;
  state.fields["config"] = config.user.to_json();
  state.fields["resolved_config"] = config.complete.to_json();
  state.fields["model"] = start.fingerprint();
  state.fields["data"] = fingerprint_of(data);
  state.fields["libtorch"] = TORCH_VERSION;
  state.fields["threads"] = at::get_num_threads();
}

void RunIdentity::check(const TrainingState& state) const {
  const JsonObject fields = state.read();
  expect_same(fields, "model", start.fingerprint());
  expect_same(fields, "data", fingerprint_of(data));
  // The bits of a matrix product depend on both.
  const std::string version = fields.string("libtorch", TORCH_VERSION);
  const int64_t threads = fields.integer("threads", 1, 1 << 20);
  if (version == TORCH_VERSION && threads == at::get_num_threads()) return;
  log_warning("the run was saved by LibTorch ", version, " with ", threads,
              " threads and continues with ", TORCH_VERSION, " and ", at::get_num_threads(),
              ": its numbers will differ in the last digits");
}

Config saved_config(const TrainingState& state, const char* name) {
  const JsonObject fields = state.read();
  Config config;
  for (const auto& [key, value] : fields.at(name).items()) config.set_json(key, value);
  return config;
}

}  // namespace contrastive::run
