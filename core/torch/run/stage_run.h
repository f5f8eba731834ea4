// One stage of a training run, or the whole run if it has no stages. It joins the pieces of a run.
// Each piece has its own header, and saves and restores itself.
//
// stage_run.cpp makes, saves and restores the pieces; stage_update.cpp is the loop: an update, and
// what follows it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/data/dataset.h"
#include "core/model/model.h"
#include "core/torch/run/automatic_checkpoints.h"
#include "core/torch/run/collapse_watch.h"
#include "core/torch/run/evaluation.h"
#include "core/torch/run/learner.h"
#include "core/torch/run/progress.h"
#include "core/torch/run/rank_group.h"
#include "core/torch/run/records.h"
#include "core/torch/run/run_inputs.h"
#include "core/torch/run/selection.h"
#include "core/torch/run/stage_position.h"
#include "core/torch/run/train_options.h"
#include "core/torch/run/training_card.h"
#include "core/torch/run/training_state.h"
#include "core/torch/run/update_source.h"
#include "core/torch/run/update_warnings.h"

namespace contrastive::run {

class StageRun {
 public:
  // `config` and `inputs` are those of this stage. `world`: the ranks that share the run, null for
  // one rank.
  StageRun(std::shared_ptr<model::Model> start, RunConfig config, RunInputs inputs,
           StagePosition stage, std::shared_ptr<dist::World> world);
  StageRun(const StageRun&) = delete;
  StageRun& operator=(const StageRun&) = delete;

  const RunConfig& config() const { return config_; }
  const StagePosition& stage() const { return stage_; }
  const RankGroup& ranks() const { return ranks_; }
  const Records& records() const { return *records_; }
  bool has_data() const { return data_ != nullptr; }
  bool finished() const;
  bool evaluates() const { return evaluation_.on_dev() || evaluation_.on_tasks(); }

  // Finishes the work after the last update: due evaluations, records, checkpoints. A cancelled or
  // failed evaluation does not change the run. The next call, also of a resumed run, starts with it
  // again, so the best weights are those of an uninterrupted run.
  void settle(const Cancel* cancel);
  // Makes one update on the next examples of the dataset, or on the caller's. settle() must have
  // been called, and the stage must not be finished.
  void update(const Cancel* cancel);
  void update_on(std::vector<data::Example> batch, const Cancel* cancel);
  // Evaluates now, on the dev file and the tasks.
  void evaluate(const Cancel* cancel);
  // The next stage, which starts from the best weights of this one; null after the last.
  std::unique_ptr<StageRun> next_stage() const;

  std::shared_ptr<model::Model> result(bool best) const;
  void save(const std::string& path) const;
  void restore(const TrainingState& state);
  // kDistributed naming the rank, and which part of config, data or weights differs there.
  void compare_ranks() const;

 private:
  TrainingState state() const;
  void check_start() const;
  void report();
  std::string place() const;
  void agree(const Cancel* cancel, const std::vector<data::Example>* batch = nullptr) const;

  // The loop.
  void prepare(const Cancel* cancel);
  void make_update(const Update& update, const Stopwatch& stopwatch, const Cancel* cancel);
  struct Learnt {
    bool moved = false;  // false: the update is skipped
    int64_t tokens = 0, truncated_texts = 0;
  };
  Learnt learn(const Update& update);
  void leave_out(const char* what, double lr, const data::Batch& batch,
                 const methods::Views& views);
  void look_at_views(const methods::Views& views);
  void evaluate_where_due(const Cancel* cancel);
  void evaluate(bool on_dev, bool on_tasks, const Cancel* cancel);
  void save_automatically();

  RankGroup ranks_;
  std::shared_ptr<model::Model> start_;
  std::shared_ptr<const data::Dataset> data_;  // null: the caller brings every batch
  RunConfig config_;
  StagePosition stage_;
  std::vector<DataFacts> facts_;  // of each task
  RunPlan plan_;
  Evaluation evaluation_;
  std::unique_ptr<Learner> learner_;
  std::unique_ptr<UpdateSource> source_;  // null without data; its threads use the method
  std::unique_ptr<Records> records_;
  Progress progress_;
  Selection selection_;
  CollapseWatch watch_;
  AutomaticCheckpoints checkpoints_;
  UpdateWarnings warnings_;
  bool updated_ = false;  // this object has computed, so LibTorch has created its static objects
};

}  // namespace contrastive::run
