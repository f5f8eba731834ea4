// The training loop: batches from a dataset, one method, one optimiser, one schedule, checkpoints,
// dev evaluation. Knows no method by name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/config.h"
#include "core/data/dataset.h"
#include "core/model/model.h"
#include "core/training/trainer.h"

namespace contrastive::dist {
class World;
}

namespace contrastive::run {

// `model` is read only: it may encode meanwhile, and is what it was afterwards; the result is
// trained(). A call computes with LibTorch: kLimit where the stack of its thread is too small.
class TrainingRun final : public training::Trainer {
 public:
  // Validates the whole config before anything is computed (kArgument names the key). `data` may be
  // null: then only step_batch works. `world`: of the ranks that share the run, null for one. Then
  // all of them make their trainers, and every further call but metric(), metric_names(),
  // trained(), save(), save_best() and resolved_config(), with the same arguments; the config has
  // no keys "dist.*".
  TrainingRun(std::shared_ptr<model::Model> model, std::shared_ptr<const data::Dataset> data,
              const Config& config, std::shared_ptr<dist::World> world = nullptr);
  // Goes on from what save() wrote, bit-identical to an uninterrupted run on the CPU (same build
  // and thread count; a GPU's sums differ in their last bits from run to run). `model` and `data`
  // are the ones the run began with. `overrides` may change what does not change the run so far:
  // max_steps, epochs, dev, dev_task, dev_select, patience, early_stop, eval_every*,
  // eval_each_epoch, evaluate_every, evaluate.*, cache, metrics_*, on_nan, watch_every,
  // checkpoints, save_every, keep, data_threads, gradient_checkpointing, card.*; in a run of stages
  // each for all of them, or behind "stage2." for one that is not over, and "stage2.dataset" or
  // "task2.dataset" for where the same data lie now. `path` may be a folder of automatic
  // checkpoints: the newest is taken. kMismatch names the field that differs, kCorrupt a damaged
  // file, kNotFound a folder without training state.
  static std::unique_ptr<TrainingRun> resume(const std::string& path,
                                             std::shared_ptr<model::Model> model,
                                             std::shared_ptr<const data::Dataset> data,
                                             const Config& overrides,
                                             std::shared_ptr<dist::World> world = nullptr);
  ~TrainingRun() override;

  Status step(const Cancel* cancel = nullptr) override;
  Status step_batch(std::vector<data::Example> batch, const Cancel* cancel = nullptr) override;
  void evaluate(const Cancel* cancel = nullptr) override;
  double metric(const std::string& name) const override;
  std::vector<std::string> metric_names() const override;
  std::shared_ptr<model::Model> result(bool best) const override;
  void save(const std::string& path) const override;
  void save_best(const std::string& path) const override;
  Config resolved_config() const override;

 private:
  struct State;
  explicit TrainingRun(std::unique_ptr<State> state);
  Status next_update(const Cancel* cancel);
  Status callers_update(std::vector<data::Example> batch, const Cancel* cancel);
  std::unique_ptr<State> state_;
};

// A TrainingRun; or, as the keys "dist.*" of `config` say, this process's rank of a run that
// several share, or all ranks of one on threads of this process.
std::unique_ptr<training::Trainer> make_trainer(std::shared_ptr<model::Model> model,
                                                std::shared_ptr<const data::Dataset> data,
                                                const Config& config);
// The same of TrainingRun::resume. How many ranks the run had before it was saved does not matter.
std::unique_ptr<training::Trainer> resume_trainer(const std::string& path,
                                                  std::shared_ptr<model::Model> model,
                                                  std::shared_ptr<const data::Dataset> data,
                                                  const Config& overrides);

// Every config key that a trainer with `method` reads, with type, default, range, help and source;
// "" lists the keys of all methods. Where a method has presets, the defaults are those of the
// presets that `config` names; nothing else of it is looked at.
Json describe_config(const std::string& method, const Config& config = {});

// All that can be found wrong in a config before a TrainingRun is made of it; kArgument names the
// key. With the examples (else null) also what it asks in vain of them and of the files that it
// names; with the folder of the model that is to be trained, of which config.json is read, of that
// model.
void check_config(const Config& config, std::shared_ptr<const data::Dataset> data = nullptr,
                  const std::optional<std::string>& model_folder = {});

}  // namespace contrastive::run
