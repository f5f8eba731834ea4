// The training loop: batches from a dataset, one method, one optimiser, one schedule, checkpoints, dev evaluation. Knows no method by name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/config.h"
#include "core/data/dataset.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::train {

// One thread at a time. `model` is read only: it may encode meanwhile, and is what it was afterwards; the result is trained().
class Trainer {
 public:
  // Validates the whole config before anything is computed (kArgument names the key). `data` may be null: then only step_batch works.
  Trainer(std::shared_ptr<model::SentenceEncoder> model, std::shared_ptr<const data::Dataset> data, const Config& config);
  // Goes on from what save() wrote, bit-identical to an uninterrupted run on the CPU (same build and thread count; a GPU's sums differ in their last
  // bits from run to run). `model` and `data` are the ones the run began with. `overrides` may change what does not change the run so far: max_steps,
  // epochs, dev, dev_task, dev_select, patience, early_stop, eval_every*, eval_each_epoch, evaluate_every, evaluate.*, cache, metrics_*, on_nan,
  // watch_every, checkpoints, save_every, keep, data_threads, gradient_checkpointing; in a run of stages each for all of them, or behind "stage2." for
  // one that is not over, and "stage2.dataset" for where the same data lie now. `path` may be a folder of automatic checkpoints: the newest is taken.
  // kMismatch names the field that differs, kCorrupt a damaged file, kNotFound a folder without training state.
  static std::unique_ptr<Trainer> resume(const std::string& path, std::shared_ptr<model::SentenceEncoder> model,
                                         std::shared_ptr<const data::Dataset> data, const Config& overrides);
  ~Trainer();

  // kOk: one update was made; kDone: the run is over, nothing was done. kNumeric when loss or gradient is not finite: the weights are untouched.
  // `cancel` is looked at before the update, while the method prepares, and during the evaluations: kCancelled behind an update leaves that update
  // made ("step" says so) and its evaluation to the next call, also of a run that was saved and resumed meanwhile.
  // A run in stages (stages.h) goes on with the next one by itself; "step" and all other metrics are then those of the present "stage".
  Status step(const Cancel* cancel = nullptr);
  // One update on the caller's own batch; `cancel` as in step().
  Status step_batch(std::vector<data::Example> batch, const Cancel* cancel = nullptr);
  // Scores the dev set and runs the tasks of "evaluate.*" now, and keeps the best weights; kState where there is neither. kCancelled keeps no figure.
  void evaluate(const Cancel* cancel = nullptr);
  // "loss", "loss.<term>", "lr", "grad_norm", "step", "epoch", "total_steps", "steps_per_epoch", "dev", "best_dev", "best_step", "skipped", "truncated",
  // "samples_per_second", "tokens_per_second", "view.alignment", "view.uniformity", "view.mean_cosine", "view.effective_rank", "view.zero_vectors",
  // "collapsed", "loss_scale", "loss_scale_retries", "failed_saves", "failed_lines", "stage", and the figures of tasks, "sts.spearman.all"; NaN when
  // unknown or not measured yet. "truncated" counts texts that are tokenised for an update, and so none of CLSR's.
  double metric(const std::string& name) const;
  std::vector<std::string> metric_names() const;

  // An independent encoder with the weights as they are now, or the best ones on the dev set (the present ones where nothing was measured).
  std::shared_ptr<model::SentenceEncoder> trained(bool best) const;
  void save(const std::string& path) const;                    // trained(false) as a model folder, and training_state/ in it: what resume() reads
  void save_best(const std::string& path) const;               // trained(true), without state
  Config resolved_config() const;                              // every key with its value

 private:
  struct State;
  explicit Trainer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Every config key that a trainer with `method` reads, with type, default, range, help and source; "" lists the keys of all methods. Where a method has
// presets, the defaults are those of the presets that `config` names; nothing else of it is looked at.
Json describe_config(const std::string& method, const Config& config = {});

// All that can be found wrong in a config before a Trainer is made of it; kArgument names the key. With the examples (else null) also what it asks in
// vain of them and of the files that it names; with the folder of the model that is to be trained, of which config.json is read, of that model.
void check_config(const Config& config, std::shared_ptr<const data::Dataset> data = nullptr, const std::optional<std::string>& model_folder = {});

}  // namespace contrastive::train
