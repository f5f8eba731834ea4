// The training loop: batches from a dataset, one method, one optimiser, one schedule, checkpoints, dev evaluation. Knows no method by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/config.h"
#include "core/data/dataset.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::train {

class Trainer {
 public:
  // Validates the whole config before anything is computed (kArgument names the key). `data` may be null: then only step_batch works.
  Trainer(std::shared_ptr<model::SentenceEncoder> model, std::shared_ptr<const data::Dataset> data, const Config& config);
  // Goes on from what save() wrote, bit-identical to an uninterrupted run. kMismatch names the field that differs.
  static std::unique_ptr<Trainer> resume(const std::string& path, std::shared_ptr<model::SentenceEncoder> model,
                                         std::shared_ptr<const data::Dataset> data, const Config& overrides);
  ~Trainer();

  Status step();                                             // kOk: one update was made; kDone: the run is over, nothing was done
  Status step_batch(const std::vector<data::Example>& batch);  // one update on the caller's own batch
  void evaluate();                                           // scores the dev set now, keeps the best weights
  double metric(const std::string& name) const;              // "loss", "lr", "step", "epoch", "total_steps", "dev", "best_dev", ...; NaN when unknown
  std::vector<std::string> metric_names() const;
  void save(const std::string& path) const;                  // the model as it is now, and training_state/ beside it: what resume() reads
  void save_best(const std::string& path) const;             // the best model on the dev set (the present one without a dev set), without state
  Config resolved_config() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Every config key that a trainer with `method` reads, with type, default, range, help and source; "" lists the keys of all methods.
Json describe_config(const std::string& method);

}  // namespace contrastive::train
