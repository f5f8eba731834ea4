// The rules of resuming a run: which keys may have another value than before, and what must be the
// same.
//
// Which keys may change is part of their description (OptionDoc::may_change). Nothing here names a
// key of a run.
#pragma once

#include <cstddef>
#include <string>

#include "core/base/config.h"
#include "core/data/dataset.h"
#include "core/model/model.h"
#include "core/torch/run/stages.h"
#include "core/torch/run/train_options.h"
#include "core/torch/run/training_state.h"

namespace contrastive::run {

// The config that a resumed run continues with: `overrides` replace keys of `saved`, the config
// that the run was given. `resolved`: every key of the saved run with its value. kMismatch for
// another value of a key that may not change.
Config with_overrides(const Config& saved, const Config& resolved, const Config& overrides);

// The same of a run in stages that is in stage `present`, from 0. A key without a prefix holds for
// every stage without its own override. The path of a later stage's data may change.
// kMismatch also for a key of a stage that is over.
Config with_stage_overrides(const Config& whole, size_t present, const Config& overrides);

// What a run is: its method and config, the model it began with, its data, and what computes it.
struct RunIdentity {
  const RunConfig& config;
  const model::Model& start;
  const data::Dataset* data;  // null: the caller brings every batch

  void save(TrainingState& state) const;
  // kMismatch naming what differs, the model or the data. Logs a warning where the computed bits
  // will differ: another version of LibTorch, another number of threads.
  void check(const TrainingState& state) const;
};

// An object of config keys in the fields of a saved run.
Config saved_config(const TrainingState& state, const char* name);

}  // namespace contrastive::run
