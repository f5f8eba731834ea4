#include "core/torch/run/train_options.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/idle_keys.h"
#include "core/base/log.h"
#include "core/data/data_options.h"
#include "core/torch/dist/dist_options.h"
#include "core/model/sentence_encoder.h"
#include "core/torch/run/task_evaluations.h"
#include "core/torch/run/tasks.h"
#include "core/torch/run/training_run.h"

namespace contrastive::run {
namespace {

// Keys that set the same thing in different units: a key of the user disables the method's default
// for the others.
const std::vector<std::vector<std::string>>& alternatives() {
  static const std::vector<std::vector<std::string>> kGroups = {{"warmup_steps", "warmup_ratio",
                                                                 "warmup_epochs"},
                                                                {"eval_every", "eval_every_epochs"},
                                                                {"max_steps", "epochs"}};
  return kGroups;
}

bool any(const Config& config, const std::vector<std::string>& keys) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const std::string& key) { return config.has(key); });
}

Config with_defaults(const Config& user, Config defaults) {
  for (const auto& group : alternatives()) {
    if (!any(user, group)) continue;
    for (const std::string& key : group) defaults.erase(key);
  }
  defaults.merge(user);
  return defaults;
}

// `config` without the entries that equal their defaults, so that a resolved config, which has
// every key, reads like the config it came from. Alternatives are removed together or not at all: a
// warm-up of 0 updates matters even if 0 is the default of that unit. Keys that determine the
// defaults of others stay.
Config without_defaults(const Config& config, const Json& rows,
                        const std::vector<std::string>& deciding) {
  std::vector<std::string> same;
  for (const Json& row : rows) {
    const Json* value = config.find(row["key"]);
    const bool decides = row["key"] == "method" ||
                         std::find(deciding.begin(), deciding.end(), row["key"]) != deciding.end();
    if (value != nullptr && *value == row["default"] && !decides) same.push_back(row["key"]);
  }
  const auto is_same = [&](const std::string& key) {
    return std::find(same.begin(), same.end(), key) != same.end();
  };
  Config stripped = config;
  for (const std::string& key : same) {
    bool alone = true;
    for (const auto& group : alternatives()) {
      if (std::find(group.begin(), group.end(), key) != group.end())
        alone = std::all_of(group.begin(), group.end(), is_same);
    }
    if (alone) stripped.erase(key);
  }
  return stripped;
}

bool set(const Config& config, const std::string& key) {
  return config.has(key) && *config.find(key) != 0 && *config.find(key) != false;
}

// Whether 'epochs' ends a run over a dataset. A method's own max_steps can only end it earlier,
// because the user decides how much data there is.
bool counts_epochs(const TrainOptions& o, const Config& user) {
  return o.max_steps == 0 || user.has("epochs") || !set(user, "max_steps");
}

void append_rows(Json& to, const Json& rows) {
  for (const Json& row : rows) to.push_back(row);
}

struct LoadKeys {  // what cs_model_load reads from the same config
  model::LoadOptions options;
  void visit(OptionVisitor& v) { options.visit(v); }
};

void check_evaluations(const RunConfig& run) {
  const TrainOptions& o = run.options;
  const Config& user = run.user;
  const TaskEvaluations tasks(user);
  const auto needs = [&](const std::vector<const char*>& keys, const char* what) {
    for (const char* key : keys)
      check(!set(user, key), Status::kArgument, "config key '", key, "' needs ", what);
  };
  const std::string task = o.dev_select.substr(0, o.dev_select.find('.'));
  const bool by_task = o.dev_select != TrainOptions::kDevFile;
  check(!by_task || (tasks.has(task) && task != o.dev_select), Status::kArgument,
        "config key 'dev_select' is '", o.dev_select,
        "', neither dev nor a figure of a task that the run evaluates, such as sts.spearman.all "
        "with 'evaluate.sts.data' set");
  const bool vectors = run.traits.gives == methods::Gives::kVectors;
  check(vectors || tasks.empty(), Status::kArgument,
        "config keys 'evaluate.*': tasks measure vectors of texts, but method '", o.method,
        "' trains a reranker, which scores pairs: measure it with 'dev'");
  check(vectors || o.dev_task != DevTask::kPairs, Status::kArgument,
        "config key 'dev_task' is pairs, which looks for texts among vectors, but method '",
        o.method, "' trains a reranker: take rerank");
  check(!vectors || o.dev_task != DevTask::kRerank, Status::kArgument,
        "config key 'dev_task' is rerank, which measures rerankers, but method '", o.method,
        "' trains a sentence encoder: take pairs");
  if (tasks.empty()) needs({"evaluate_every"}, "a task: set 'evaluate.<task>.data'");
  if (!o.dev.empty()) return;
  needs({"dev_task"}, "a dev file: set 'dev'");
  if (!by_task)
    needs({"patience", "early_stop"},
          "a dev file: set 'dev', or 'dev_select' to a figure of a task");
  if (tasks.empty()) {
    needs({"eval_every", "eval_every_epochs", "eval_each_epoch", "eval_at_start"},
          "a dev file: set 'dev', or the keys of a task, 'evaluate.*'");
  }
}

void check_together(const RunConfig& run, bool has_data) {
  const TrainOptions& o = run.options;
  const Config& user = run.user;
  const bool others = o.batch_size > 1 || (o.negatives == Negatives::kGlobal && o.accumulate > 1);
  check(!run.traits.in_batch_negatives || others, Status::kArgument,
        "config key 'batch_size' is 1, but method '", o.method,
        "' takes its negatives from the batch: at least 2 are needed");
  for (const auto& group : {alternatives()[0], alternatives()[1]}) {
    std::string first;
    for (const std::string& key : group) {
      if (!set(user, key)) continue;
      check(first.empty(), Status::kArgument, "config keys '", first, "' and '", key,
            "' exclude each other");
      first = key;
    }
  }
  check_evaluations(run);
  if (o.checkpoints.empty()) {
    for (const char* key : {"save_every", "keep"}) {
      check(!user.has(key), Status::kArgument, "config key '", key,
            "' needs a folder for the checkpoints: set 'checkpoints'");
    }
  }
  check(o.few_shot > 0 || !o.upsample, Status::kArgument,
        "config key 'upsample' goes with few_shot only");
  // The rest of these two rules needs the number of batches: plan_run().
  check(!has_data || !counts_epochs(o, user) || !set(user, "warmup_epochs") ||
            o.warmup_epochs <= o.epochs,
        Status::kArgument, "config key 'warmup_epochs' requests a warm-up of ", o.warmup_epochs,
        " epochs, but epochs is ", o.epochs);
  check(!set(user, "warmup_steps") || !set(user, "max_steps") || o.warmup_steps <= o.max_steps,
        Status::kArgument, "config key 'warmup_steps' requests a warm-up of ", o.warmup_steps,
        " updates, but max_steps is ", o.max_steps);
  const auto load = read_options<LoadKeys>(user);
  if (user.has("device")) check_device(run, load.options.device == "cpu");
  if (user.has("precision")) check_precision(run, load.options.precision);
  check(has_data || o.max_steps > 0 || o.schedule == optim::Schedule::kConstant, Status::kArgument,
        "config key 'max_steps' is needed: without a dataset nothing else says how long the "
        "schedule is");
  if (!has_data) {
    for (const char* key : {"epochs", "warmup_epochs", "eval_every_epochs", "eval_each_epoch",
                            "accumulate", "last_batch", "few_shot", "data.duplicates"}) {
      check(!set(user, key), Status::kArgument, "config key '", key,
            "' needs a dataset, but the batches come from the caller");
    }
  }
  reject_idle_keys(user, "",
                   {{!run.traits.hard_negatives,
                     cat("method '", o.method, "' takes no hard negatives"),
                     {"data.negatives"}},
                    {!run.traits.scores,
                     cat("method '", o.method, "' reads no scores of a teacher"),
                     {"data.scores"}}});
  optim::refuse_keys_of_other_optimizers(user, o.optimizer.name);
}

std::string method_names() {
  std::string names;
  for (const auto& entry : methods::all_methods())
    names += cat(names.empty() ? "" : ", ", entry.name);
  return names;
}

// The keys of a run with one task; "": of all methods.
Json run_rows(const std::string& method, const Config& config) {
  TrainOptions options;
  Config defaults, presets;
  std::vector<const methods::MethodEntry*> entries;
  if (method.empty()) {
    for (const auto& entry : methods::all_methods()) entries.push_back(&entry);
  } else {
    entries.push_back(&methods::find_method(method));
    for (const std::string& key : entries[0]->describe({}).preset_keys) {
      if (config.has(key)) presets.set_json(key, *config.find(key));
    }
    defaults = entries[0]->describe(presets).training_defaults;
    defaults.set("method", method);
    options = read_options<TrainOptions>(defaults);
  }
  Json rows = describe_options<TrainOptions>("", options);
  append_rows(rows, describe_options<data::DataOptions>(data::DataOptions::kPrefix));
  for (const auto* entry : entries) append_rows(rows, entry->describe(presets).rows);
  append_rows(rows, methods::describe_wrappers());
  append_rows(rows, TaskEvaluations::describe());
  append_rows(rows, dist::describe_options());
  return rows;
}

// Prefixes of keys that no run of `method` reads: those of other methods, and of tasks that do not
// exist.
void refuse_keys_of_others(const Config& config, const methods::MethodEntry& method) {
  for (const std::string& key : config.keys()) {
    for (const auto& entry : methods::all_methods()) {
      const bool other = entry.name != std::string(method.name) &&
                         key.rfind(std::string(entry.name) + ".", 0) == 0;
      check(!other, Status::kArgument, "config key '", key, "' belongs to method ", entry.name,
            "; this run's method is ", method.name);
    }
  }
  const TaskEvaluations known(config);
}

}  // namespace

RunConfig read_run_config(const Config& config, bool has_data, const encoder::Architecture* shape) {
  RunConfig run = read_single_config(without_tasks(config), has_data, shape);
  add_tasks(run, config, has_data, shape);
  bool caches = false;
  for (size_t i = 0; i < run.tasks(); ++i) caches = caches || run.task(i).traits.caches;
  reject_idle_keys(run.user, "",
                   {{!caches,
                     cat("method '", run.options.method,
                         "' computes nothing that it could keep there"),
                     {"cache"}}});
  return run;
}

RunConfig read_single_config(const Config& config, bool has_data,
                             const encoder::Architecture* shape) {
  RunConfig run;
  const Json* name = config.find("method");
  if (name == nullptr) {  // a misspelt "method" is a more likely cause than a missing one
    Json every = run_rows("", config);
    append_rows(every, describe_options<LoadKeys>());
    reject_unknown_keys(config, every);
  }
  check(name != nullptr && name->is_string(), Status::kArgument,
        "config key 'method' is missing: one of ", method_names());
  run.method = &methods::find_method(name->get<std::string>());
  const Json rows = run_rows(run.method->name, config);
  Json known = rows;
  append_rows(known, describe_options<LoadKeys>());
  refuse_keys_of_others(config, *run.method);
  reject_unknown_keys(config, known);
  const data::DataOptions reading = data::read_data_options(config);
  contrastive::read_options<dist::Options>(
      config, dist::Options::kPrefix);  // checks their ranges; the run does not use their values
  run.user = without_defaults(config, rows, run.method->describe({}).preset_keys);
  run.traits = run.method->describe(run.user);
  methods::check_wrappers(*run.method, run.traits, run.user);
  if (shape != nullptr && run.traits.check_shape) run.traits.check_shape(*shape);

  const Config effective = with_defaults(run.user, run.traits.training_defaults);
  run.options = read_options<TrainOptions>(effective);
  run.options.duplicates_apart = reading.duplicates == data::Duplicates::kApart;
  TrainOptions& o = run.options;
  check_together(run, has_data);
  o.card.validate();

  const TaskEvaluations tasks(run.user);
  if (shape != nullptr) tasks.check_shape(*shape);
  for (const Json& row : rows) {
    const std::string key = row["key"];
    if (key.rfind(dist::Options::kPrefix, 0) == 0)
      continue;  // how a run is shared is not part of it
    const std::string rest = key.rfind(TaskEvaluations::kPrefix, 0) == 0
                                 ? key.substr(std::string(TaskEvaluations::kPrefix).size())
                                 : "";
    if (rest.empty() || tasks.has(rest.substr(0, rest.find('.'))))
      run.complete.set_json(key, row["default"]);
  }
  run.complete = with_defaults(run.user, run.complete);
  return run;
}

void check_device(const RunConfig& config, bool on_cpu) {
  check(
      config.options.amp != optim::Amp::kFloat16 || !on_cpu, Status::kArgument,
      "config key 'amp' is float16, which needs a CUDA device, but 'device' is cpu: use bfloat16");
}

void check_precision(const RunConfig& config, const std::string& precision) {
  check(precision != "int8", Status::kArgument,
        "config key 'precision' is int8, in which a model embeds and is neither trained nor saved: "
        "load it ",
        "with precision = float32");
  check(!config.traits.trains_encoder || precision == "float32", Status::kArgument,
        "config key 'precision' is ", precision, ", but method '", config.options.method,
        "' trains the model's weights, which move in float32: load it with precision = float32, "
        "and train with amp = bfloat16 for speed");
}

RunPlan plan_run(const RunConfig& config, int64_t batches_per_epoch) {
  const TrainOptions& o = config.options;
  RunPlan plan;
  const int64_t batches = o.negatives == Negatives::kGlobal ? 1 : o.accumulate;  // of one update
  plan.steps_per_epoch = (batches_per_epoch + batches - 1) / batches;
  if (o.max_steps > 0 || batches_per_epoch == 0) plan.total_steps = o.max_steps;
  if (counts_epochs(o, config.user) && batches_per_epoch > 0) {
    const int64_t steps = o.epochs * plan.steps_per_epoch;
    plan.total_steps = plan.total_steps > 0 ? std::min(plan.total_steps, steps) : steps;
  }
  plan.eval_every = o.eval_every > 0 ? o.eval_every : o.eval_every_epochs * plan.steps_per_epoch;
  // A method's default is ignored if the user counts in epochs.
  const bool each_epoch =
      o.eval_each_epoch && (o.eval_every_epochs == 0 || set(config.user, "eval_each_epoch"));
  plan.eval_epoch = each_epoch ? plan.steps_per_epoch : 0;

  int64_t warmup = o.warmup_steps > 0 ? o.warmup_steps : o.warmup_epochs * plan.steps_per_epoch;
  if (o.warmup_ratio > 0)
    warmup =
        static_cast<int64_t>(std::ceil(o.warmup_ratio * static_cast<double>(plan.total_steps)));
  const bool chosen = any(config.user, alternatives()[0]);
  if (chosen && plan.total_steps > 0 && warmup > plan.total_steps) {
    const std::vector<std::string>& keys = alternatives()[0];
    const auto key = std::find_if(keys.begin(), keys.end(),
                                  [&](const std::string& each) { return set(config.user, each); });
    TORCH_CHECK(key != keys.end(), "a warm-up that was not requested");
    fail(Status::kArgument, "config key '", *key, "' requests a warm-up of ", warmup,
         " updates, but the run has ", plan.total_steps);
  }
  // Not all of a run of one update, whose rate would be 0.
  const int64_t tenth = std::min((plan.total_steps + 9) / 10, plan.total_steps - 1);
  if (!chosen && plan.total_steps > 0 && warmup > tenth) {
    // The method's own warm-up is meant for a run of its default length.
    plan.usual_warmup = warmup;
    warmup = tenth;
  }
  plan.schedule = {o.schedule, warmup, plan.total_steps, o.lr_decay};
  return plan;
}

bool RunPlan::evaluation_due(int64_t step) const {
  const int64_t counted = eval_epoch > 0 ? step % eval_epoch : step;
  return (eval_epoch > 0 && counted == 0) || (eval_every > 0 && counted % eval_every == 0);
}

Json describe_config(const std::string& method, const Config& config) {
  Json rows = run_rows(method, config);
  append_rows(rows, describe_task_keys());
  return rows;
}

}  // namespace contrastive::run
