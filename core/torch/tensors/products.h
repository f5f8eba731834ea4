// Matrix products on the CPU, shared among the threads of the pool: LibTorch's BLAS computes tiles
// of the result, one thread each. The tiles depend on the shapes alone, so that the result is the
// same for any number of threads.
#pragma once

#include <ATen/core/Tensor.h>

namespace contrastive::tensors {

// out = a b, or out += a b, for matrices of one type (float32, float64, bfloat16) on the CPU,
// without a graph. Each may be some columns or some rows of a wider matrix, a and b transposed as
// well; `out` overlaps neither.
void multiply(const at::Tensor& out, const at::Tensor& a, const at::Tensor& b, bool add = false);

// x W^T + bias as at::linear, differentiable once; bias may be undefined. On the CPU matrices are
// multiplied as above, in the type that autocast asks for; whatever else there is, is left to
// LibTorch.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias = {});

// a b as at::matmul of two matrices, in the same manner.
at::Tensor product(const at::Tensor& a, const at::Tensor& b);

}  // namespace contrastive::tensors
