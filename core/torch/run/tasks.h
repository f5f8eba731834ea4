// A run on several datasets, each with a method of its own: the tasks train one encoder by one
// optimiser and one schedule, and every batch is of one task.
//
// One config describes them all. The first task is the run as it would be alone: "method", "data.*"
// and the dataset that the trainer was given. A further one is "task2.dataset", a file, with its
// own "task2.data.*". A key that a task may have of its own (its method and that one's keys,
// batch_size, few_shot, upsample, last_batch) holds for every task without a prefix, and
// "task2.batch_size" for the second alone. All other keys are the run's.
#pragma once

#include <optional>
#include <string>

#include "core/torch/run/numbered_keys.h"
#include "core/torch/run/train_options.h"

namespace contrastive::run {

// The same of tasks as parse_stage_key() of stages.
std::optional<NumberedKey> parse_task_key(const std::string& key);
// The first task's part of a config.
Config without_tasks(const Config& config);
// kArgument, naming the key, where `config` has one of a task: `why` there are none.
void refuse_tasks(const Config& config, const std::string& why);
// Reads the tasks of `config` into `run`, which is its first one: run.further, and their keys in
// `user` and `complete`. kArgument for numbers with a gap, a task without a dataset, a key that is
// the run's, a method that cannot share its encoder, and all that reading a run refuses, under the
// name that the key has in `config`.
void add_tasks(RunConfig& run, const Config& config, bool has_data,
               const encoder::Architecture* shape);
// The keys of a further task that no run without tasks has, as rows of cs_config_describe, shown as
// the second task's.
Json describe_task_keys();
// What `body` finds wrong with a task is said of the keys as they were given; with the first one,
// as it is.
template <class Body>
auto of_task(const Config& whole, size_t task, const Body& body) {
  return task == 0 ? body() : of_part(whole, "task", task, body);
}

}  // namespace contrastive::run
