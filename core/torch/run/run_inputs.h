// Opens the configured files of a run (examples and dev file) and validates them against its
// config. This needs no weights, so check_config() can report the same errors as a TrainingRun.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/data/dataset.h"
#include "core/torch/run/dev_set.h"
#include "core/torch/run/train_options.h"

namespace contrastive::run {

// What is known about the examples of one task.
struct TaskFacts {
  std::shared_ptr<const data::Dataset> data;
  int64_t given = 0;            // how many there were before the selection
  bool idle_negatives = false;  // they have hard negatives that the method does not use
};

struct RunInputs {
  // The examples that the run uses, selected from the given ones; those of several tasks joined.
  // Null without data.
  std::shared_ptr<const data::Dataset> data;
  std::vector<TaskFacts> tasks;  // of each task; one entry without data
  std::unique_ptr<DevSet> dev;   // null without a dev file
};

// `data`: of the first task (the files of further ones are opened here); null if the caller brings
// every batch. kArgument naming the key for examples that lack what the method needs, a warm-up
// longer than the run if the examples determine its length, or a figure that no task gives. An
// error of opening a file is prefixed with its key.
RunInputs open_inputs(const RunConfig& config, std::shared_ptr<const data::Dataset> data);

}  // namespace contrastive::run
