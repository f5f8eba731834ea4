// A training run as this process executes it: the implementation of training::Trainer
// (core/training/trainer.h) for one rank. It knows no method by name. README.md here lists the
// pieces that a run is made of.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/config.h"
#include "core/data/dataset.h"
#include "core/model/model.h"
#include "core/runtime/threads.h"
#include "core/training/trainer.h"

namespace contrastive::dist {
class World;
}

namespace contrastive::run {

class StageRun;

// It owns the current stage, and replaces it with the next one at its end.
//
// `model` is not changed and may encode meanwhile. The result is trained(). Calls compute with
// LibTorch: kLimit if the stack of the calling thread is too small.
class TrainingRun final : public training::Trainer {
 public:
  // Validates the whole config before anything is computed (kArgument names the key). `data` may be
  // null: then only step_batch works. `world`: the ranks that share the run, null for one rank. All
  // ranks create their run with the same arguments, and make the same further calls in the same
  // order; metric(), metric_names(), trained(), save(), save_best() and resolved_config() are
  // exempt. The config has no keys "dist.*".
  TrainingRun(std::shared_ptr<model::Model> model, std::shared_ptr<const data::Dataset> data,
              const Config& config, std::shared_ptr<dist::World> world = nullptr);
  // Continues what save() wrote. On the CPU, with the same build and number of threads, it gives
  // the same bits as an uninterrupted run; a GPU's sums differ in their last bits from run to run.
  // `model` and `data` are those that the run started with. `overrides`: keys that may change on
  // resume by their description (OptionDoc::may_change). In a run of stages such a key applies to
  // all of them. With the prefix "stage2." it applies to that stage, which must not be finished.
  // "stage2.dataset" and "task2.dataset" may be a new path of the same data. If `path` is a folder
  // of automatic checkpoints, the newest is used. Throws kMismatch, naming the field that differs,
  // kCorrupt for a damaged file, and kNotFound for a folder without training state.
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
  explicit TrainingRun(std::unique_ptr<StageRun> stage);

  runtime::ThreadLimit thread_limit() const;

  std::unique_ptr<StageRun> stage_;
};

// Creates what the keys "dist.*" of `config` request: a TrainingRun of this process alone; this
// process's rank of a run that several processes share; or all ranks of a run on threads of this
// process.
std::unique_ptr<training::Trainer> make_trainer(std::shared_ptr<model::Model> model,
                                                std::shared_ptr<const data::Dataset> data,
                                                const Config& config);
// The same for TrainingRun::resume. The number of ranks may change.
std::unique_ptr<training::Trainer> resume_trainer(const std::string& path,
                                                  std::shared_ptr<model::Model> model,
                                                  std::shared_ptr<const data::Dataset> data,
                                                  const Config& overrides);

// Every config key that a run with `method` reads: type, default, range, help, source, and whether
// it may change on resume. "" lists the keys of all methods. If a method has presets, the defaults
// are those of the presets in `config`; nothing else of it is read.
Json describe_config(const std::string& method, const Config& config = {});

// Checks a config before a run is created; kArgument naming the key. With `data`, it also checks
// that the examples and the configured files fit the method. With
// `model_folder`, whose config.json it reads, it also checks that the model has what the config
// needs.
void check_config(const Config& config, std::shared_ptr<const data::Dataset> data = nullptr,
                  const std::optional<std::string>& model_folder = {});

}  // namespace contrastive::run
