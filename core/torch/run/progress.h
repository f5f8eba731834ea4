// The progress of a run, or of the current stage if the run has stages.
#pragma once

#include <cstdint>

#include "core/torch/run/records.h"
#include "core/torch/run/train_options.h"
#include "core/torch/run/training_state.h"

namespace contrastive::run {

struct Progress {
  int64_t step = 0;       // updates made, skipped ones included
  int64_t skipped = 0;    // updates that were skipped because they were not finite
  int64_t truncated = 0;  // truncated texts, counted at each use
  bool prepared = false;  // Method::prepare() has run
  // Work after the last update (evaluations, records, checkpoints), or the evaluation before the
  // first update, is still to be done.
  bool unsettled = false;

  void report(const RunPlan& plan, Records& records) const;
  void save(TrainingState& state) const;
  void restore(const TrainingState& state);
};

}  // namespace contrastive::run
