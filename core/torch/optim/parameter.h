// What an optimiser moves, and which of it decays.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace contrastive::optim {

// A leaf tensor with a gradient. Names are unique among what is trained together, and stable:
// checkpoints and error messages use them.
struct Parameter {
  std::string name;
  at::Tensor tensor;  // requires grad
  bool decay = true;  // takes part in weight decay (and in the adaptation of LARS)
};

// The usual rule (core/torch/methods/README.md 1.3): everything decays but biases and LayerNorm
// weights.
bool decays_by_name(const std::string& name);

}  // namespace contrastive::optim
