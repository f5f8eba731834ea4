// Rows of a matrix, or numbers of a vector, by their places.
#pragma once

#include <ATen/core/Tensor.h>

namespace contrastive::tensors {

// x's rows `rows` (int64, [count]), which may come more than once: [count, width], of a vector
// [count]; differentiable, on any device. On the CPU in float32 without OpenMP: LibTorch's own
// sorts on the way back in a team of it, which ends the process where memory is short.
at::Tensor select_rows(const at::Tensor& x, const at::Tensor& rows);

}  // namespace contrastive::tensors
