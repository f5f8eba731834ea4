// A training run as its caller sees it. core/torch/run, in the training plugin, implements it. Each
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

// One thread at a time.
class Trainer {
 public:
  virtual ~Trainer() = default;

  // kOk: one update was made; kDone: the run is over, nothing was done. kNumeric when loss or
  // gradient is not finite: the weights are untouched. `cancel` is looked at before the update,
  // while the method prepares, and during the evaluations: kCancelled behind an update leaves that
  // update made ("step" says so) and its evaluation to the next call, also of a run that was saved
  // and resumed meanwhile. A run in stages goes on with the next one by itself; "step" and all
  // other metrics are then those of the present "stage".
  virtual Status step(const Cancel* cancel = nullptr) = 0;
  // One update on the caller's own batch; `cancel` as in step().
  virtual Status step_batch(std::vector<data::Example> batch, const Cancel* cancel = nullptr) = 0;
  // Scores the dev set and runs the tasks of "evaluate.*" now, and keeps the best weights; kState
  // where there is neither. kCancelled keeps no figure.
  virtual void evaluate(const Cancel* cancel = nullptr) = 0;
  // "loss", "loss.<term>", "lr", "grad_norm", "step", "epoch", "total_steps", "steps_per_epoch",
  // "dev", "best_dev", "best_step", "skipped", "truncated", "samples_per_second",
  // "tokens_per_second", "view.alignment", "view.uniformity", "view.mean_cosine",
  // "view.effective_rank", "view.zero_vectors", "collapsed", "loss_scale", "loss_scale_retries",
  // "failed_saves", "failed_lines", "stage", and the figures of tasks, "sts.spearman.all"; NaN when
  // unknown or not measured yet. "truncated" counts texts that are tokenised for an update, and so
  // none of CLSR's.
  virtual double metric(const std::string& name) const = 0;
  virtual std::vector<std::string> metric_names() const = 0;

  // An independent model with the weights as they are now, or the best ones on the dev set (the
  // present ones where nothing was measured).
  virtual std::shared_ptr<model::Model> result(bool best) const = 0;
  // result(), where it is a sentence encoder; kState where the run trains a reranker.
  std::shared_ptr<model::SentenceEncoder> trained(bool best) const;
  virtual void save(const std::string& path)
      const = 0;  // result(false) as a model folder, and training_state/ in it: what resume reads
  virtual void save_best(const std::string& path) const = 0;  // result(true), without state
  virtual Config resolved_config() const = 0;                 // every key with its value
};

// As run::TrainingRun's constructor and run::TrainingRun::resume, run::check_config and
// run::describe_config say (core/torch/run/training_run.h).
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
