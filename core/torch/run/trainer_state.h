// What a TrainingRun holds, shared by trainer.cpp (its making, weights), update.cpp (the loop),
// stages.cpp and checkpoint.cpp (save and resume), and training_card.cpp (what the model's card
// says of the run). Nobody else includes this.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/torch/dist/world.h"
#include "core/torch/methods/registry.h"
#include "core/torch/optim/mixed_precision.h"
#include "core/torch/optim/optimizer.h"
#include "core/torch/run/collapse_watch.h"
#include "core/torch/run/dev_set.h"
#include "core/torch/run/early_stopping.h"
#include "core/torch/run/gradient_pass.h"
#include "core/torch/run/metrics.h"
#include "core/torch/run/metrics_files.h"
#include "core/torch/run/run_inputs.h"
#include "core/torch/run/scores.h"
#include "core/torch/run/stages.h"
#include "core/torch/run/task_evaluations.h"
#include "core/torch/run/train_options.h"
#include "core/torch/run/training_run.h"
#include "core/torch/run/training_state.h"
#include "core/torch/run/update_source.h"

namespace contrastive::run {

// What a card says of the examples.
struct DataFacts {
  std::string file, sha256;         // "" where there is none
  int64_t examples = 0, given = 0;  // of the run, and those that they were drawn from
  bool pairs = false, labels = false, negatives = false;
};
DataFacts facts_of(const data::Dataset* data, int64_t given);

// A dev file's figure on vectors that are cut: "dev.128".
inline std::string dev_figure(int64_t dimension) {
  return cat(TrainOptions::kDevFile, ".", dimension);
}
bool is_dev_figure(const std::string& figure);  // of whole vectors too

struct TrainingRun::State {
  // `world`: of the ranks that share the run; null for one.
  State(std::shared_ptr<model::Model> start, RunConfig config, RunInputs inputs,
        std::shared_ptr<dist::World> world = nullptr);

  std::shared_ptr<dist::World> world;
  std::shared_ptr<model::Model> start;
  std::shared_ptr<const data::Dataset> data;  // null: the caller brings every batch
  std::vector<DataFacts> facts;               // of each task
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
  tensors::TorchTensorMap
      best;  // the weights of the best dev score, by parameter name; empty before the first
  bool prepared = false;
  int64_t step = 0;  // updates made, skipped ones included
  int64_t skipped = 0;
  int64_t truncated = 0;      // texts, each time one was met
  int64_t evaluated_at = -1;  // `step` at the last evaluation, on the dev file or of tasks
  int64_t failed_saves = 0, failed_lines = 0;
  bool best_to_save = false;  // `best` is not known to lie among the checkpoints
  bool updated = false;       // by this object: LibTorch has made its static objects for it
  bool single_warned = false;
  bool unsettled =
      false;  // what follows the last update, or comes before the first, is not done yet: settle()
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
  std::optional<double> fill_gradients(const Update& update, int64_t& truncated_texts);
  void refuse_non_finite(const char* what, const data::Batch& batch, const methods::Views& views);
  void look_at_views(const methods::Views& views);
  void evaluate_where_due(const Cancel* cancel);
  void evaluate(bool on_dev, bool on_tasks, const Cancel* cancel);
  void warn_of_single(const Update& update);
  void count_truncated(int64_t texts);
  PairScorer pair_scorer(const Cancel* cancel) const;
  double score_of(const DevSubject& subject, const Cancel* cancel) const;
  Score score_named(const std::string& figure, double value) const;
  std::vector<int64_t> cut_dimensions()
      const;  // below the model's own, at which a dev file is scored too
  void publish();
  void record();
  void save_automatically();
  void save_due(bool due);

  // Among ranks (ranks.cpp).
  bool first() const { return world == nullptr || world->first(); }
  Share share() const { return world == nullptr ? Share{} : Share{world->rank(), world->size()}; }
  // Throws kCancelled on all ranks where it is triggered on one, kDistributed where they are not
  // about to do the same. `batch`: the caller's, if any.
  void agree(const Cancel* cancel, const std::vector<data::Example>* batch = nullptr) const;
  void compare_ranks()
      const;  // kDistributed names the rank, and what of config, data or weights is another's
  std::vector<std::pair<std::string, double>> measured(bool on_dev, bool on_tasks,
                                                       const Cancel* cancel) const;
  // `body` on this rank; what it fails with, the other ranks are told.
  template <class Body>
  static auto among_ranks(std::shared_ptr<dist::World> world, const Body& body);

  // Weights.
  tensors::TorchTensorMap copy_weights() const;
  void check_weights(const tensors::TorchTensorMap& weights, const char* which)
      const;  // kMismatch where they are not those of the parameters
  void set_weights(const tensors::TorchTensorMap& weights);
  std::shared_ptr<model::Model> result(bool best_ones) const;
  io::ModelCard card(bool best_ones) const;

  // Stages.
  void begin_stages(StagePlan all);
  std::unique_ptr<State> next_stage();  // null after the last
  void add_stage(TrainingState& saved) const;
  static std::shared_ptr<model::Model> start_of_stage(const TrainingState& saved,
                                                      const std::shared_ptr<model::Model>& first);

  // Checkpoints.
  void save(const std::string& path);
  TrainingState to_state() const;
  void from_state(const TrainingState& state);
  static std::unique_ptr<TrainingRun> resumed(const std::string& path,
                                              std::shared_ptr<model::Model> model,
                                              std::shared_ptr<const data::Dataset> data,
                                              const Config& overrides,
                                              const std::shared_ptr<dist::World>& world);
  void restore_selection(const TrainingState& state);
};

template <class Body>
auto TrainingRun::State::among_ranks(std::shared_ptr<dist::World> world, const Body& body) {
  if (world == nullptr) return body();
  try {
    return body();
  } catch (const Error& error) {
    if (error.status() != Status::kCancelled)
      world->leave(error.message());  // all are cancelled together, and may go on
    throw;
  } catch (const std::exception& error) {
    world->leave(error.what());
    throw;
  }
}

}  // namespace contrastive::run
