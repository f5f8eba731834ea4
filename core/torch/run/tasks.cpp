#include "core/torch/run/tasks.h"

#include <algorithm>
#include <set>
#include <vector>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/data/data_options.h"
#include "core/torch/dist/dist_options.h"
#include "core/model/load_options.h"
#include "core/torch/run/task_evaluations.h"

namespace contrastive::run {
namespace {

constexpr const char* kTaskNoun = "task";

std::string prefix_of_task(size_t task) { return prefix_of_part(kTaskNoun, task); }

// Options that only a task has.
struct TaskKeys {
  double weight = 1;
  std::string dataset;

  void visit(OptionVisitor& v) {
    visit_weight(v);
    // The path may change on resume, but the data may not: their fingerprints are compared.
    v.text("dataset", dataset,
           OptionDoc("file of a second task to train on; each batch comes from one file. Its keys "
                     "are task2.data.*, task2.method (default: the run's method), the keys of that "
                     "method, task2.batch_size, task2.few_shot, task2.upsample and "
                     "task2.last_batch; task3.dataset is the next one")
               .may_change());
  }
  void visit_weight(OptionVisitor& v) {
    v.real("weight", weight, above(0, 1e6),
           "weight of the task's loss in a run with several tasks");
  }
};

struct FirstTaskKeys : TaskKeys {
  void visit(OptionVisitor& v) { visit_weight(v); }
};

bool is_one_of(const std::string& key, const std::vector<std::string>& keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

bool of_a_method(const std::string& key) {
  const auto& all = methods::all_methods();
  return std::any_of(all.begin(), all.end(), [&](const methods::MethodEntry& entry) {
    return begins_with(key, std::string(entry.name) + ".");
  });
}

// Wrappers of a method, such as truncation of its vectors.
bool of_a_wrapper(const std::string& key) {
  static const Json kRows = methods::describe_wrappers();
  return std::any_of(kRows.begin(), kRows.end(),
                     [&](const Json& row) { return row["key"] == key; });
}

// Keys that can be set per task, and that apply to every task without a prefix.
bool may_be_a_tasks(const std::string& key) {
  static const std::vector<std::string> kOwn = {"batch_size", "few_shot", "upsample", "last_batch"};
  return is_one_of(key, kOwn) || of_a_method(key) || of_a_wrapper(key);
}

bool is_a_runs(const std::string& key) {
  const auto has = [&](const Json& rows) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const Json& row) { return row["key"] == key; });
  };
  return begins_with(key, TaskEvaluations::kPrefix) || begins_with(key, dist::Options::kPrefix) ||
         has(describe_options<TrainOptions>()) || has(describe_options<model::LoadOptions>());
}

std::string text_of(const Config& config, const std::string& key) {
  const Json* value = config.find(key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

std::string sharing_methods() {
  std::string names;
  for (const auto& entry : methods::all_methods()) {
    if (!entry.describe({}).encoder_keys.empty())
      names += cat(names.empty() ? "" : ", ", entry.name);
  }
  return names;
}

void check_shares(const RunConfig& task, const std::string& key) {
  check(!task.traits.encoder_keys.empty(), Status::kArgument, "config key '", key, "': method '",
        task.options.method,
        "' cannot share its encoder with other tasks; methods that can: ", sharing_methods());
  check(task.traits.stages.empty(), Status::kArgument, "config key '", key, "': method '",
        task.options.method,
        "' would train in stages, but a task of several is one run: choose another mode of it");
}

// The keys without a prefix that also apply to task `number`, then its own keys.
Config config_of_task(const Config& whole, const RunConfig& first, size_t number) {
  Config own = keys_under(whole, prefix_of_task(number));
  own.erase("dataset");
  own.erase("weight");
  const std::string method = own.has("method") ? text_of(own, "method") : first.options.method;
  Config config;
  config.set_json("method", method);
  for (const std::string& key : whole.keys()) {
    const bool inherited =
        may_be_a_tasks(key) && (!of_a_method(key) || begins_with(key, method + "."));
    if (inherited && !is_one_of(key, first.traits.encoder_keys))
      config.set_json(key, *whole.find(key));
  }
  // The run decides how an update is composed, and thereby whether the task has other examples to
  // compare with.
  config.set_json("accumulate", first.options.accumulate);
  config.set("negatives", first.options.negatives == Negatives::kGlobal ? "global" : "micro");
  config.merge(own);
  return config;
}

void check_own_keys(const Config& config, size_t number) {
  for (const std::string& key : keys_under(config, prefix_of_task(number)).keys()) {
    const bool own = key == "method" || key == "weight" || key == "dataset" ||
                     may_be_a_tasks(key) || begins_with(key, data::DataOptions::kPrefix);
    check(own || !is_a_runs(key), Status::kArgument, "config key '", prefix_of_task(number), key,
          "': the tasks share one encoder, optimiser and schedule: set '", key,
          "' for all of them");
  }
}

RunConfig read_task(const Config& config, const RunConfig& first, size_t number,
                    const encoder::Architecture* shape) {
  const std::string prefix = prefix_of_task(number);
  check(!text_of(config, prefix + "dataset").empty(), Status::kArgument, "config key '", prefix,
        "dataset' is missing: the file that task ", number + 1, " trains on");
  check_own_keys(config, number);
  RunConfig task = of_part(config, kTaskNoun, number, [&] {
    return read_single_config(config_of_task(config, first, number), true, shape);
  });
  check_shares(task, prefix + "method");
  for (const std::string& key : task.traits.encoder_keys) {
    check(!config.has(prefix + key), Status::kArgument, "config key '", prefix, key,
          "': the tasks share one encoder, and what trains of it and how it pools are set by the "
          "first one's keys, '",
          first.options.method, ".*'");
  }
  const TaskKeys keys = read_options<TaskKeys>(config, prefix);
  task.weight = keys.weight;
  task.dataset = keys.dataset;
  task.options.seed = first.options.seed;
  return task;
}

void add_to_complete(Config& complete, const RunConfig& task, size_t number) {
  const std::string prefix = prefix_of_task(number);
  complete.set_json(prefix + "weight", task.weight);
  if (number == 0) return;
  complete.set(prefix + "method", task.options.method);
  complete.set_json(prefix + "dataset", task.dataset);
  for (const std::string& key : task.complete.keys()) {
    const bool own = (may_be_a_tasks(key) || begins_with(key, data::DataOptions::kPrefix)) &&
                     !is_one_of(key, task.traits.encoder_keys);
    if (own) complete.set_json(prefix + key, *task.complete.find(key));
  }
}

}  // namespace

std::optional<NumberedKey> parse_task_key(const std::string& key) {
  return parse_numbered_key(key, kTaskNoun);
}

Config without_tasks(const Config& config) {
  Config first = config;
  for (const std::string& key : config.keys()) {
    if (parse_task_key(key)) first.erase(key);
  }
  return first;
}

void refuse_tasks(const Config& config, const std::string& why) {
  for (const std::string& key : config.keys())
    check(!parse_task_key(key), Status::kArgument, "config key '", key, "': ", why);
}

void add_tasks(RunConfig& run, const Config& config, bool has_data,
               const encoder::Architecture* shape) {
  std::set<size_t> numbers;
  for (const std::string& key : config.keys()) {
    const auto parsed = parse_task_key(key);
    if (!parsed) continue;
    check(parsed->part > 0 || parsed->name == "weight", Status::kArgument, "config key '", key,
          "': the first task's keys stand without a prefix, but for task1.weight",
          parsed->name == "dataset" ? ": it trains on the run's dataset" : "");
    if (parsed->part > 0) numbers.insert(parsed->part);
    read_options<FirstTaskKeys>(config,
                                prefix_of_task(
                                    parsed->part));  // an invalid weight is reported for any task
  }
  if (numbers.empty()) {
    refuse_tasks(config, "the run has one task: set task2.dataset for a second");
    check(run.options.sampling == data::Mixing::kProportional, Status::kArgument,
          "config key 'tasks.sampling': the run has one task: set task2.dataset for a second");
    return;
  }
  const size_t last = *numbers.rbegin();
  for (size_t number = 1; number <= last; ++number) {
    check(numbers.count(number) > 0, Status::kArgument, "config key '", prefix_of_task(number),
          "dataset' is missing: the run has a task ", last + 1,
          ", and tasks are numbered without a gap");
  }
  check(has_data, Status::kArgument, "config key '", prefix_of_task(1),
        "dataset' needs a dataset for the first task too, but the batches come from the ",
        "caller");
  check_shares(run, "method");
  run.weight = read_options<FirstTaskKeys>(config, prefix_of_task(0)).weight;
  for (size_t number = 1; number <= last; ++number) {
    run.further.push_back(read_task(config, run, number, shape));
    run.options.further.push_back(run.further.back().options);
  }
  // As they were given, because a default of its method may differ from the run's value for all
  // tasks.
  for (const std::string& key : config.keys()) {
    if (parse_task_key(key)) run.user.set_json(key, *config.find(key));
  }
  for (size_t number = 0; number < run.tasks(); ++number)
    add_to_complete(run.complete, run.task(number), number);
}

Json describe_task_keys() {
  Json rows = describe_options<FirstTaskKeys>(prefix_of_task(0));
  for (const Json& row : describe_options<TaskKeys>(prefix_of_task(1))) rows.push_back(row);
  return rows;
}

}  // namespace contrastive::run
