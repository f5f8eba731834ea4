// A parameter for tests of optimizers.
#pragma once

#include <ATen/core/Tensor.h>

#include "core/torch/optim/parameter.h"

namespace contrastive::optim {

inline Parameter parameter(const at::Tensor& value, bool decay = true) {
  at::Tensor tensor = value.clone();
  tensor.set_requires_grad(true);
  return {"p", tensor, decay};
}

}  // namespace contrastive::optim
