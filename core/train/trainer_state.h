// What a Trainer holds, shared by trainer.cpp (the loop) and checkpoint.cpp (save and resume). Nobody else includes this.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/data/batcher.h"
#include "core/methods/registry.h"
#include "core/train/dev_set.h"
#include "core/train/early_stopping.h"
#include "core/train/metrics.h"
#include "core/train/optimizer.h"
#include "core/train/train_options.h"
#include "core/train/trainer.h"
#include "core/train/training_state.h"

namespace contrastive::train {

struct Trainer::State {
  State(std::shared_ptr<model::SentenceEncoder> start, std::shared_ptr<const data::Dataset> data, RunConfig config);

  std::shared_ptr<model::SentenceEncoder> start;
  std::shared_ptr<const data::Dataset> data;  // null: the caller brings every batch
  RunConfig config;
  std::unique_ptr<DevSet> dev;                // null without a dev file
  std::optional<data::Batcher> batcher;       // none without data
  RunPlan plan;
  std::unique_ptr<methods::Method> method;
  std::vector<methods::Parameter> parameters;
  std::unique_ptr<Optimizer> optimizer;
  EarlyStopping stopping;
  io::TensorMap best;                         // the weights of the best dev score, by parameter name; empty before the first
  bool prepared = false;
  int64_t step = 0;                           // updates made, skipped ones included
  int64_t skipped = 0;
  int64_t evaluated_at = -1;                  // `step` at the last dev evaluation
  Metrics metrics;

  // The loop.
  bool finished() const;
  std::vector<data::Batch> next_parts();
  Status update(const std::vector<data::Batch>& parts, const Stopwatch& watch);
  bool accumulate_gradients(const std::vector<data::Batch>& parts);
  bool refuse_non_finite(const char* what, const data::Batch& batch);
  void evaluate();
  void publish();

  // Weights.
  io::TensorMap copy_weights() const;
  void set_weights(const io::TensorMap& weights);
  std::shared_ptr<model::SentenceEncoder> trained(bool best_ones);

  // Checkpoints.
  TrainingState to_state() const;
  void from_state(const TrainingState& state);
};

}  // namespace contrastive::train
