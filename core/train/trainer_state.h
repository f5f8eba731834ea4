// What a Trainer holds, shared by trainer.cpp (its making, weights), update.cpp (the loop), stages.cpp and checkpoint.cpp (save and resume), and
// training_card.cpp (what the model's card says of the run). Nobody else includes this.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/methods/registry.h"
#include "core/optim/mixed_precision.h"
#include "core/optim/optimizer.h"
#include "core/train/collapse_watch.h"
#include "core/train/dev_set.h"
#include "core/train/early_stopping.h"
#include "core/train/gradient_pass.h"
#include "core/train/metrics.h"
#include "core/train/metrics_files.h"
#include "core/train/run_inputs.h"
#include "core/train/scores.h"
#include "core/train/stages.h"
#include "core/train/task_evaluations.h"
#include "core/train/train_options.h"
#include "core/train/trainer.h"
#include "core/train/training_state.h"
#include "core/train/update_source.h"

namespace contrastive::train {

// What a card says of the examples.
struct DataFacts {
  std::string file, sha256;         // "" where there is none
  int64_t examples = 0, given = 0;  // of the run, and those that they were drawn from
  bool pairs = false, labels = false, negatives = false;
};
DataFacts facts_of(const data::Dataset* data, int64_t given);

struct Trainer::State {
  State(std::shared_ptr<model::SentenceEncoder> start, RunConfig config, RunInputs inputs);

  std::shared_ptr<model::SentenceEncoder> start;
  std::shared_ptr<const data::Dataset> data;  // null: the caller brings every batch
  DataFacts facts;
  RunConfig config;
  std::unique_ptr<DevSet> dev;  // null without a dev file
  TaskEvaluations tasks;        // of the keys "evaluate.*"
  RunPlan plan;
  std::unique_ptr<methods::Method> method;
  std::unique_ptr<UpdateSource> source;  // null without data; its threads use the method
  std::unique_ptr<GradientPass> pass;
  std::vector<methods::Parameter> parameters;
  std::unique_ptr<optim::Optimizer> optimizer;
  EarlyStopping stopping;
  Scores last_scores, best_scores;  // of the last evaluation, and of the one that `best` is of
  libtorch::TensorMap best;         // the weights of the best dev score, by parameter name; empty before the first
  bool prepared = false;
  int64_t step = 0;  // updates made, skipped ones included
  int64_t skipped = 0;
  int64_t truncated = 0;      // texts, each time one was met
  int64_t evaluated_at = -1;  // `step` at the last evaluation, on the dev file or of tasks
  int64_t failed_saves = 0, failed_lines = 0;
  bool best_to_save = false;  // `best` is not known to lie among the checkpoints
  bool single_warned = false;
  bool unsettled = false;  // what follows the last update, or comes before the first, is not done yet: settle()
  optim::GradScaler scaler;
  CollapseWatch watch;
  Metrics metrics;
  std::unique_ptr<MetricsFiles> files;
  StagePlan stages;         // of the whole run
  size_t stage = 0;         // the one that this is, from 0
  std::string first_model;  // fingerprint of what the first stage began as

  // The loop.
  bool finished() const;
  void prepare(const Cancel* cancel);
  Status update(const Update& update, const Stopwatch& stopwatch, const Cancel* cancel);
  void settle(const Cancel* cancel);
  std::optional<double> fill_gradients(const Update& update);
  void refuse_non_finite(const char* what, const data::Batch& batch, const methods::Views& views);
  void look_at_views(const methods::Views& views);
  void evaluate_where_due(const Cancel* cancel);
  void evaluate(bool on_dev, bool on_tasks, const Cancel* cancel);
  void warn_of_single(const Update& update);
  void count_truncated(const Update& update);
  double score_of(const eval::TextEncoder& encoder, const Cancel* cancel) const;
  Score score_named(const std::string& figure, double value) const;
  void publish();
  void record();
  void save_automatically();

  // Weights.
  libtorch::TensorMap copy_weights() const;
  void check_weights(const libtorch::TensorMap& weights, const char* which) const;  // kMismatch where they are not those of the parameters
  void set_weights(const libtorch::TensorMap& weights);
  std::shared_ptr<model::SentenceEncoder> trained(bool best_ones) const;
  io::ModelCard card(bool best_ones) const;

  // Stages.
  void begin_stages(StagePlan all);
  std::unique_ptr<State> next_stage();  // null after the last
  void add_stage(TrainingState& saved) const;
  static std::shared_ptr<model::SentenceEncoder> start_of_stage(const TrainingState& saved, const std::shared_ptr<model::SentenceEncoder>& first);

  // Checkpoints.
  void save(const std::string& path);
  TrainingState to_state() const;
  void from_state(const TrainingState& state);
  void restore_selection(const TrainingState& state);
};

}  // namespace contrastive::train
