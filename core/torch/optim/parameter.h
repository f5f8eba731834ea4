// A trainable parameter, and whether weight decay applies to it.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace contrastive::optim {

// A leaf tensor with a gradient. Its name is unique among the parameters that train together, and
// stable: checkpoints and error messages use it.
struct Parameter {
  std::string name;
  at::Tensor tensor;  // requires grad
  bool decay = true;  // weight decay (and the adaptation of LARS) applies
};

// The usual rule (core/torch/optim/README.md 2): everything decays except biases and LayerNorm
// weights.
bool decays_by_name(const std::string& name);

}  // namespace contrastive::optim
