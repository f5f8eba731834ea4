// An optimizer updates parameters from gradients. Learning rates come from schedule.h, gradients
// from gradients.h. optimizer_list.h has every optimizer, core/torch/optim/README.md 1 its formula.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/torch/tensors/tensors.h"
#include "core/torch/optim/parameter.h"

namespace contrastive::optim {

class Optimizer {
 public:
  virtual ~Optimizer();  // returns the memory of the training steps to the system

  // Updates every parameter that has a gradient. `lr` is the learning rate of this update.
  // Gradients are multiplied by `gradient_scale`, which clips in the same pass over memory (the
  // gradients themselves may or may not be scaled in place). If it throws before any parameter is
  // updated, the step was not made and may be repeated.
  void step(double lr, double gradient_scale = 1);
  // kState after a step that threw in the middle: the parameters then belong to no update.
  void check_whole() const;
  int64_t steps() const { return steps_; }

  // Moments under "<slot>.<parameter>", and the number of steps: what a resumed run needs.
  tensors::TorchTensorMap state() const;
  void restore(const tensors::TorchTensorMap& state,
               int64_t steps);  // kMismatch names a tensor that is missing or has another shape

 protected:
  using Slots = std::vector<at::Tensor>;
  Optimizer(std::vector<Parameter> parameters, std::vector<std::string> slot_names);
  struct Item {
    const Parameter* parameter;
    Slots* slots;  // the tensors of this parameter, in the order of the names; zero at first
    size_t number;
  };
  // Updates all parameters that have a gradient. `step` counts from 1.
  virtual void update_all(const std::vector<Item>& items, double lr, double gradient_scale,
                          int64_t step) = 0;
  void begin_moving() {
    moving_ = true;
  }  // for update_all(): from here on a parameter may have been updated
  virtual void slots_replaced() {}  // restore() has been called

 private:
  std::vector<Parameter> parameters_;
  std::vector<std::string> slot_names_;
  std::vector<Slots> slots_;  // [parameters]
  int64_t steps_ = 0;
  bool moving_ = false, torn_ = false;
};

// An optimizer that updates each parameter separately.
class EachByItself : public Optimizer {
 protected:
  using Optimizer::Optimizer;
  virtual void update(const Parameter& parameter, Slots& slots, double lr) = 0;

 private:
  void update_all(const std::vector<Item>& items, double lr, double gradient_scale,
                  int64_t step) final;
};

}  // namespace contrastive::optim
