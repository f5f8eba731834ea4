// Selects the best weights: keeps the results of evaluations and the weights that are best by the
// figure of key "dev_select", and decides whether the run ends early.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/torch/run/early_stopping.h"
#include "core/torch/run/records.h"
#include "core/torch/run/scores.h"
#include "core/torch/run/train_options.h"
#include "core/torch/run/training_state.h"
#include "core/torch/tensors/tensors.h"

namespace contrastive::run {

class Selection {
 public:
  explicit Selection(const TrainOptions& options)
      : figure_(options.dev_select), stopping_(options.early_stop, options.patience) {}

  // Adds the scores of an evaluation after update `step`. If they are the best so far, keeps the
  // weights that `copy_weights` returns. If that runs out of memory, the selection does not change.
  void offer(int64_t step, const std::vector<Score>& scores,
             const std::function<tensors::TorchTensorMap()>& copy_weights);

  bool exhausted() const { return stopping_.exhausted(); }  // the run ends early
  int64_t evaluated_at() const { return evaluated_at_; }  // the last update with an evaluation; -1
  bool best_at(int64_t step) const { return stopping_.best_step() == step; }
  int64_t best_step() const { return stopping_.best_step(); }  // -1 before the first
  bool has_best() const { return !best_.empty(); }
  const tensors::TorchTensorMap& best_weights() const {
    return best_;
  }  // by the names of parameters
  const Scores& best_scores() const { return best_scores_; }
  const Scores& last_scores() const { return last_scores_; }

  void report(Records& records) const;
  void save(TrainingState& state) const;
  // Scores of different figures cannot be compared: if another figure selects from now on, the next
  // evaluation becomes the best so far.
  void restore(const TrainingState& state);
  // Call once after restore(): restores the last score as a metric.
  void report_last(Records& records) const;

 private:
  std::string figure_;  // that selects
  EarlyStopping stopping_;
  tensors::TorchTensorMap best_;      // empty before the first
  Scores last_scores_, best_scores_;  // of the last evaluation, and of the best weights
  int64_t evaluated_at_ = -1;
};

}  // namespace contrastive::run
