// A run on several datasets, each with its own method. The tasks train one encoder with one
// optimiser and one schedule, and every batch belongs to one task.
//
// One config describes all tasks. The first task is configured like a run without tasks: "method",
// "data.*" and the trainer's dataset. A further one has the file "task2.dataset", with its own
// "task2.data.*". Keys that can be set per task (the method and its keys, batch_size, few_shot,
// upsample, last_batch) apply to every task without a prefix, and "task2.batch_size" only to the
// second. All other keys apply to the run.
#pragma once

#include <optional>
#include <string>

#include "core/torch/run/numbered_keys.h"
#include "core/torch/run/train_options.h"

namespace contrastive::run {

// Like parse_stage_key(), for tasks.
std::optional<NumberedKey> parse_task_key(const std::string& key);
// The first task's part of a config.
Config without_tasks(const Config& config);
// kArgument naming the key if `config` has a key of a task. `why`: the reason why tasks are not
// allowed.
void refuse_tasks(const Config& config, const std::string& why);
// Reads the further tasks of `config` into run.further, and their keys into `user` and `complete`;
// `run` is the first task. kArgument for numbers with a gap, a task without a dataset, a key that
// only the run may have, a method that cannot share its encoder, and everything that reading a run
// refuses, with the name of the key in `config`.
void add_tasks(RunConfig& run, const Config& config, bool has_data,
               const encoder::Architecture* shape);
// The keys that only further tasks have, as rows of cs_config_describe, with the prefix of the
// second task.
Json describe_task_keys();
// Runs `body`. Errors about a further task name the keys as they were given; errors about the first
// task are not changed.
template <class Body>
auto of_task(const Config& whole, size_t task, const Body& body) {
  return task == 0 ? body() : of_part(whole, "task", task, body);
}

}  // namespace contrastive::run
