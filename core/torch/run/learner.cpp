#include "core/torch/run/learner.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "core/torch/optim/gradients.h"
#include "core/torch/optim/optimizer_list.h"

namespace contrastive::run {
namespace {

// On the CPU without an allocation, so that saved weights can always be restored.
void overwrite(const at::Tensor& with, const at::Tensor& parameter) {
  const bool plain = parameter.is_cpu() && with.is_cpu() && parameter.is_contiguous() &&
                     with.is_contiguous() && parameter.dtype() == with.dtype();
  if (plain) {
    std::memcpy(parameter.mutable_data_ptr(), with.const_data_ptr(), parameter.nbytes());
  } else {
    parameter.detach().copy_(with);
  }
}

}  // namespace

Learner::Learner(std::unique_ptr<methods::Method> method, const TrainOptions& options,
                 c10::Device device, dist::World* world)
    : method_(std::move(method)), parameters_(method_->parameters()),
      pass_(*method_, options.amp, device, world),
      optimizer_(optim::make_optimizer(options.optimizer, parameters_)),
      scaler_(options.amp == optim::Amp::kFloat16), clip_norm_(options.clip_norm) {}

PassResult Learner::fill_gradients(const Update& update) {
  return pass_.run(update, scaler_, parameters_);
}

void Learner::move(double gradient_norm, double lr) {
  const double unscaled = 1 / scaler_.scale();
  scaler_.succeeded();
  const double clip = clip_norm_ > 0 ? optim::clip_factor(gradient_norm, clip_norm_) : 1;
  optimizer_->step(lr, unscaled * clip);
}

void Learner::clear_gradients() { optim::clear_gradients(parameters_); }

void Learner::check_whole() const { optimizer_->check_whole(); }

tensors::TorchTensorMap Learner::copy_weights() const {
  tensors::TorchTensorMap weights;
  for (const auto& parameter : parameters_)
    weights[parameter.name] = parameter.tensor.detach().clone();
  return weights;
}

void Learner::check_weights(const tensors::TorchTensorMap& weights, const char* which) const {
  for (const auto& parameter : parameters_) {
    const auto it = weights.find(parameter.name);
    check(it != weights.end(), Status::kMismatch, "the saved run has no ", which, "weight '",
          parameter.name, "'");
    check(it->second.sizes() == parameter.tensor.sizes(), Status::kMismatch, "the saved ", which,
          "weight '", parameter.name, "' is ", it->second.sizes(), ", not ",
          parameter.tensor.sizes());
  }
}

void Learner::report(Records& records) const {
  if (!scaler_.enabled()) return;
  records.set("loss_scale", scaler_.scale());
  records.set("loss_scale_retries", static_cast<double>(scaler_.retries()));
}

void Learner::save(TrainingState& state) const {
  const methods::MethodState own = method_->save_state();
  state.add_tensors("weight.", copy_weights());
  state.add_tensors("optimizer.", optimizer_->state());
  state.add_tensors("method.", own.tensors);
  state.fields["optimizer_steps"] = optimizer_->steps();
  state.fields["loss_scale"] = scaler_.state();
  state.fields["method_state"] = own.values;
}

void Learner::restore(const TrainingState& state) {
  const JsonObject fields = state.read();
  scaler_.restore(fields.at("loss_scale"));
  const tensors::TorchTensorMap weights = state.tensors_under("weight.");
  check_weights(weights, "");
  {
    const at::NoGradGuard no_grad;
    for (const auto& parameter : parameters_)
      overwrite(weights.at(parameter.name), parameter.tensor);
  }
  optimizer_->restore(state.tensors_under("optimizer."),
                      fields.integer("optimizer_steps", 0, kLargestCount));
  method_->load_state({state.tensors_under("method."), fields.at("method_state")});
}

}  // namespace contrastive::run
