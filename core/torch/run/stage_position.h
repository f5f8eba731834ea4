// The current stage of a run, and the start model of the run. A run without stages has one stage.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/base/config.h"
#include "core/data/dataset.h"
#include "core/model/model.h"
#include "core/torch/run/records.h"
#include "core/torch/run/stages.h"
#include "core/torch/run/training_state.h"

namespace contrastive::run {

class StagePosition {
 public:
  StagePosition() = default;                                          // of a run without stages
  explicit StagePosition(StagePlan plan) : plan_(std::move(plan)) {}  // at its first stage

  bool staged() const { return plan_.staged(); }
  size_t index() const { return index_; }  // from 0
  bool last() const { return index_ + 1 >= plan_.stages.size(); }
  const StagePlan& plan() const { return plan_; }
  const Config& config() const { return plan_.stages.at(index_); }  // of this stage
  // Of this stage. The first has the dataset of the run, which is not known here.
  const std::shared_ptr<const data::Dataset>& dataset() const { return plan_.datasets.at(index_); }
  std::string place() const;  // " of stage 2"; "" without stages
  // Each stage counts its updates from 0, so it keeps its own checkpoints in `folder`.
  std::string checkpoints_in(const std::string& folder) const;
  StagePosition next() const;

  // Of the first stage: the run begins with `start`.
  void begin_with(const model::Model& start);

  void report(Records& records) const;
  // `start`: the model from which this stage started.
  void save(TrainingState& state, const model::Model& start) const;
  // Opens the datasets of the later stages. Throws kMismatch if they or `overrides` do not fit the
  // saved run. `first` is the start model of the run; it may be null.
  static StagePosition restored(const TrainingState& state, const Config& overrides,
                                const model::Model* first);
  // The start model of this stage. Throws kMismatch if `first` is not the start model of the run.
  std::shared_ptr<model::Model> restored_start(const TrainingState& state,
                                               const std::shared_ptr<model::Model>& first) const;

 private:
  StagePlan plan_;
  size_t index_ = 0;
  std::string first_model_;  // the fingerprint of the first stage's start model
};

}  // namespace contrastive::run
