// The interface of a training run. core/torch/run, in the training plugin, implements it. Each
// function here loads the plugin if necessary, with the errors of core/runtime/torch_plugin.h.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/config.h"
#include "core/base/error.h"
#include "core/data/dataset.h"
#include "core/model/model.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::training {

// Not thread-safe.
class Trainer {
 public:
  virtual ~Trainer() = default;

  // kOk: one update was made. kDone: the run is over and nothing was done. kNumeric if the loss or
  // the gradient is not finite: the weights are unchanged. `cancel` is polled before the update,
  // while the method prepares, and during evaluations. kCancelled after an update keeps that update
  // ("step" counts it) and leaves its evaluation to the next call, also of a run that was saved and
  // resumed in between. A run in stages continues with the next stage automatically; "step" and all
  // other metrics are then those of the current "stage".
  virtual Status step(const Cancel* cancel = nullptr) = 0;
  // Makes one update on the caller's batch; `cancel` as in step().
  virtual Status step_batch(std::vector<data::Example> batch, const Cancel* cancel = nullptr) = 0;
  // Scores the dev set and runs the tasks of "evaluate.*" now, and keeps the best weights; kState
  // if the run has neither. After kCancelled no figure is kept.
  virtual void evaluate(const Cancel* cancel = nullptr) = 0;
  // "loss", "loss.<term>", "lr", "grad_norm", "step", "epoch", "total_steps", "steps_per_epoch",
  // "dev", "best_dev", "best_step", "skipped", "truncated", "samples_per_second",
  // "tokens_per_second", "view.alignment", "view.uniformity", "view.mean_cosine",
  // "view.effective_rank", "view.zero_vectors", "collapsed", "loss_scale", "loss_scale_retries",
  // "failed_saves", "failed_lines", "stage", and the figures of tasks, "sts.spearman.all"; NaN if
  // unknown or not measured yet. "truncated" counts texts that are tokenised for an update, so it
  // counts none for CLSR.
  virtual double metric(const std::string& name) const = 0;
  virtual std::vector<std::string> metric_names() const = 0;

  // Returns an independent model with the current weights, or with the best ones on the dev set
  // (the current ones if nothing was measured).
  virtual std::shared_ptr<model::Model> result(bool best) const = 0;
  // result() if it is a sentence encoder; kState if the run trains a reranker.
  std::shared_ptr<model::SentenceEncoder> trained(bool best) const;
  virtual void save(const std::string& path)
      const = 0;  // result(false) as a model folder, and training_state/ in it: what resume reads
  virtual void save_best(const std::string& path) const = 0;  // result(true), without state
  virtual Config resolved_config() const = 0;                 // every key with its value
};

// See the constructor and resume() of run::TrainingRun, run::check_config and run::describe_config
// (core/torch/run/training_run.h).
std::unique_ptr<Trainer> make_trainer(std::shared_ptr<model::Model> model,
                                      std::shared_ptr<const data::Dataset> data,
                                      const Config& config);
std::unique_ptr<Trainer> resume_trainer(const std::string& path,
                                        std::shared_ptr<model::Model> model,
                                        std::shared_ptr<const data::Dataset> data,
                                        const Config& overrides);
void check_config(const Config& config, std::shared_ptr<const data::Dataset> data,
                  const std::optional<std::string>& model_folder);
Json describe_config(const std::string& method);
std::vector<std::string> method_names();

}  // namespace contrastive::training
