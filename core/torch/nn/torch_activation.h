// The activations of layers and heads, differentiable on any device. On the CPU the threads of the
// pool share the rows, where LibTorch would use one thread, and float32 is computed by the kernels
// of core/cpu: for GELU, LibTorch calls oneDNN, which does not survive running out of memory.
#pragma once

#include <ATen/core/Tensor.h>

#include "core/torch/nn/torch_weights.h"

namespace contrastive::nn {

// The result has x's shape and type. Its bits do not depend on the number of threads.
at::Tensor activate(Activation activation, const at::Tensor& x);

}  // namespace contrastive::nn
