// The activations of layers and heads, differentiable on any device. On the CPU their rows are
// shared among the threads of the pool, where LibTorch would take one, and in float32 computed by
// the kernels of core/cpu: for GELU LibTorch asks oneDNN, which does not survive a lack of
// memory.
#pragma once

#include <ATen/core/Tensor.h>

#include "core/torch/nn/torch_weights.h"

namespace contrastive::nn {

// Of x's shape and type. Its bits do not depend on the number of threads.
at::Tensor activate(Activation activation, const at::Tensor& x);

}  // namespace contrastive::nn
