#include "core/train/optimizer.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros_like.h>

#include "core/base/error.h"
#include "core/train/optimizers.h"

namespace contrastive::train {

Optimizer::Optimizer(std::vector<methods::Parameter> parameters, std::vector<std::string> slot_names)
    : parameters_(std::move(parameters)), slot_names_(std::move(slot_names)) {
  const at::NoGradGuard no_grad;
  for (const auto& parameter : parameters_) {
    Slots slots;
    for (size_t i = 0; i < slot_names_.size(); ++i) slots.push_back(at::zeros_like(parameter.tensor.detach()));
    slots_.push_back(std::move(slots));
  }
}

void Optimizer::step(double lr) {
  const at::NoGradGuard no_grad;
  ++steps_;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].tensor.grad().defined()) update(parameters_[i], slots_[i], lr, steps_);
  }
}

io::TensorMap Optimizer::state() const {
  io::TensorMap state;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    for (size_t s = 0; s < slot_names_.size(); ++s) state[slot_names_[s] + "." + parameters_[i].name] = slots_[i][s];
  }
  return state;
}

void Optimizer::restore(const io::TensorMap& state, int64_t steps) {
  const at::NoGradGuard no_grad;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    for (size_t s = 0; s < slot_names_.size(); ++s) {
      const std::string name = slot_names_[s] + "." + parameters_[i].name;
      const auto it = state.find(name);
      check(it != state.end(), Status::kMismatch, "the saved optimiser has no tensor '", name, "'");
      check(it->second.sizes() == slots_[i][s].sizes(), Status::kMismatch, "the saved optimiser's '", name, "' is ", it->second.sizes(), ", not ",
            slots_[i][s].sizes());
      slots_[i][s].copy_(it->second);
    }
  }
  steps_ = steps;
}

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options, std::vector<methods::Parameter> parameters) {
  switch (options.kind) {
    case OptimizerKind::kLars: return make_lars(options, std::move(parameters));
    case OptimizerKind::kSgd: return make_sgd(options, std::move(parameters));
    default: return make_adam(options, std::move(parameters));
  }
}

}  // namespace contrastive::train
