// The trained state of a run: the method with its parameters, the optimizer, and the scale of the
// loss in float16.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/torch/dist/world.h"
#include "core/torch/methods/method.h"
#include "core/torch/optim/mixed_precision.h"
#include "core/torch/optim/optimizer.h"
#include "core/torch/run/gradient_pass.h"
#include "core/torch/run/records.h"
#include "core/torch/run/train_options.h"
#include "core/torch/run/training_state.h"

namespace contrastive::run {

class Learner {
 public:
  // `world`: the ranks that share the run, null for one rank. It must outlive this object.
  Learner(std::unique_ptr<methods::Method> method, const TrainOptions& options, c10::Device device,
          dist::World* world);

  methods::Method& method() { return *method_; }
  const methods::Method& method() const { return *method_; }
  const std::vector<methods::Parameter>& parameters() const { return parameters_; }

  // Computes the loss of an update and the gradients of the parameters. Does not change weights.
  PassResult fill_gradients(const Update& update);
  // Updates the weights by the gradients, whose norm must be finite.
  void move(double gradient_norm, double lr);
  void clear_gradients();

  void check_whole() const;  // kState if an update failed after it had changed some weights
  tensors::TorchTensorMap copy_weights() const;
  // Throws kMismatch if `weights` do not fit the parameters. `which` names them in the message.
  void check_weights(const tensors::TorchTensorMap& weights, const char* which) const;

  void report(Records& records) const;
  void save(TrainingState& state) const;
  void restore(const TrainingState& state);

 private:
  std::unique_ptr<methods::Method> method_;
  std::vector<methods::Parameter> parameters_;
  GradientPass pass_;
  std::unique_ptr<optim::Optimizer> optimizer_;
  optim::GradScaler scaler_;
  double clip_norm_;
};

}  // namespace contrastive::run
