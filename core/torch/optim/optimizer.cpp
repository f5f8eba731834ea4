#include "core/torch/optim/optimizer.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros_like.h>

#include <cstdlib>
#include <new>

#include "core/base/error.h"
#include "core/torch/tensors/recycled_memory.h"

namespace contrastive::optim {
namespace {

// Zeros that take no memory before they are written: many rows of a word table never are.
at::Tensor fresh_zeros(const at::Tensor& like) {
  if (!like.device().is_cpu() || like.numel() == 0) return at::zeros_like(like);
  void* memory = std::calloc(static_cast<size_t>(like.numel()), like.element_size());
  if (memory == nullptr) throw std::bad_alloc();
  // Not from_blob() with a deleter: LibTorch allocates for that one where nothing may be thrown.
  return at::for_blob(memory, like.sizes())
      .context(memory, &std::free)
      .options(like.options())
      .make_tensor();
}

}  // namespace

Optimizer::~Optimizer() { tensors::release_recycled_memory(); }

Optimizer::Optimizer(std::vector<Parameter> parameters, std::vector<std::string> slot_names)
    : parameters_(std::move(parameters)), slot_names_(std::move(slot_names)) {
  const at::NoGradGuard no_grad;
  for (const auto& parameter : parameters_) {
    Slots slots;
    for (size_t i = 0; i < slot_names_.size(); ++i)
      slots.push_back(fresh_zeros(parameter.tensor.detach()));
    slots_.push_back(std::move(slots));
  }
}

void Optimizer::step(double lr, double gradient_scale) {
  check_whole();
  const at::NoGradGuard no_grad;
  std::vector<Item> items;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].tensor.grad().defined()) items.push_back({&parameters_[i], &slots_[i], i});
  }
  ++steps_;
  moving_ = false;
  try {
    update_all(items, lr, gradient_scale, steps_);
  } catch (...) {
    torn_ = moving_;
    if (!torn_) --steps_;
    throw;
  }
}

void Optimizer::check_whole() const {
  check(!torn_, Status::kState,
        "an update failed when some of the weights were moved and others were not: go on from a "
        "saved run");
}

void EachByItself::update_all(const std::vector<Item>& items, double lr, double gradient_scale,
                              int64_t /* step */) {
  for (const Item& item : items) {
    begin_moving();
    if (gradient_scale != 1) item.parameter->tensor.grad().mul_(gradient_scale);
    update(*item.parameter, *item.slots, lr);
  }
}

tensors::TorchTensorMap Optimizer::state() const {
  tensors::TorchTensorMap state;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    for (size_t s = 0; s < slot_names_.size(); ++s)
      state[slot_names_[s] + "." + parameters_[i].name] = slots_[i][s];
  }
  return state;
}

void Optimizer::restore(const tensors::TorchTensorMap& state, int64_t steps) {
  const at::NoGradGuard no_grad;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    for (size_t s = 0; s < slot_names_.size(); ++s) {
      const std::string name = slot_names_[s] + "." + parameters_[i].name;
      const auto it = state.find(name);
      check(it != state.end(), Status::kMismatch, "the saved optimiser has no tensor '", name, "'");
      check(it->second.sizes() == slots_[i][s].sizes(), Status::kMismatch,
            "the saved optimiser's '", name, "' is ", it->second.sizes(), ", not ",
            slots_[i][s].sizes());
      slots_[i][s].copy_(it->second);
    }
  }
  steps_ = steps;
  slots_replaced();
}

}  // namespace contrastive::optim
