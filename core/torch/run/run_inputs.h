// What a run reads beside the model: its examples and its dev file, opened and found fit for its
// config. All of it is known before a weight is read, so that check_config() says what a
// TrainingRun would.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/data/dataset.h"
#include "core/torch/run/dev_set.h"
#include "core/torch/run/train_options.h"

namespace contrastive::run {

// What is known of the examples of one task.
struct TaskFacts {
  std::shared_ptr<const data::Dataset> data;
  int64_t given = 0;            // how many there were to choose from
  bool idle_negatives = false;  // they have hard negatives that the method does not take
};

struct RunInputs {
  // The examples that the run is about, out of those that were given; those of several tasks
  // joined. Null without.
  std::shared_ptr<const data::Dataset> data;
  std::vector<TaskFacts> tasks;  // of each task; one without data
  std::unique_ptr<DevSet> dev;   // null without a dev file
};

// `data`: of the first task, the files of further ones are opened here; null when the caller brings
// every batch. kArgument naming the key for examples that lack what the method needs, a warm-up
// longer than the run, where the examples tell its length, a figure that no task gives; for a file
// whatever opening it says, behind its key.
RunInputs open_inputs(const RunConfig& config, std::shared_ptr<const data::Dataset> data);

}  // namespace contrastive::run
