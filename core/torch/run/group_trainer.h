// Runs all ranks on threads of this process, one per device, as one trainer, so that a program can
// train on all its devices without a launcher.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/torch/dist/store.h"
#include "core/torch/run/training_run.h"

namespace contrastive::dist {
class World;
}

namespace contrastive::run {

class GroupTrainer final : public training::Trainer {
 public:
  // Makes a rank's trainer on the thread of that rank. `model` is on the rank's device.
  using Make = std::function<std::unique_ptr<TrainingRun>(std::shared_ptr<model::Model> model,
                                                          std::shared_ptr<dist::World> world)>;

  // If `model` is not on a rank's device, the rank gets a copy of it there. The error of any rank
  // is the error of the call.
  GroupTrainer(const std::vector<std::string>& devices, dist::Milliseconds timeout,
               std::shared_ptr<model::Model> model, const Make& make);
  ~GroupTrainer() override;

  Status step(const Cancel* cancel = nullptr) override;
  Status step_batch(std::vector<data::Example> batch, const Cancel* cancel = nullptr) override;
  void evaluate(const Cancel* cancel = nullptr) override;
  // Rank 0's.
  double metric(const std::string& name) const override { return first().metric(name); }
  std::vector<std::string> metric_names() const override { return first().metric_names(); }
  std::shared_ptr<model::Model> result(bool best) const override { return first().result(best); }
  void save(const std::string& path) const override { first().save(path); }
  void save_best(const std::string& path) const override { first().save_best(path); }
  Config resolved_config() const override { return first().resolved_config(); }

 private:
  const TrainingRun& first() const { return *ranks_.front(); }
  // Runs body(rank) for all ranks in parallel, rank 0 on the caller's thread.
  void on_all(const std::function<void(size_t rank)>& body);

  std::shared_ptr<dist::Store> store_;
  std::vector<std::unique_ptr<TrainingRun>> ranks_;
  std::vector<std::shared_ptr<dist::World>> worlds_;
};

}  // namespace contrastive::run
