// Selects rows of a matrix, or elements of a vector, by index.
#pragma once

#include <ATen/core/Tensor.h>

namespace contrastive::tensors {

// The rows `rows` (int64, [count]) of x, which may repeat: [count, width], or [count] for a vector.
// Differentiable, on any device. On the CPU in float32 it does not use OpenMP: the backward pass of
// LibTorch's own function sorts in a team of OpenMP, which ends the process if memory is short.
at::Tensor select_rows(const at::Tensor& x, const at::Tensor& rows);

}  // namespace contrastive::tensors
