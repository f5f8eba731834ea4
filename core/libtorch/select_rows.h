// Rows of a matrix by their numbers.
#pragma once

#include <ATen/core/Tensor.h>

namespace contrastive::libtorch {

// x's rows `rows` (int64, [count]), which may come more than once: [count, width], differentiable, on any device. On the CPU in float32 without OpenMP:
// LibTorch's own sorts on the way back in a team of it, which ends the process where memory is short.
at::Tensor select_rows(const at::Tensor& x, const at::Tensor& rows);

}  // namespace contrastive::libtorch
