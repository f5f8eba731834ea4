// Matrix products on the CPU, shared among the threads of the pool: each thread computes tiles of
// the result with LibTorch's BLAS. The tiles depend only on the shapes, so the result is the same
// for any number of threads.
#pragma once

#include <ATen/core/Tensor.h>

namespace contrastive::tensors {

// out = a b, or out += a b, for matrices of one type (float32, float64, bfloat16) on the CPU,
// without a graph. Each may be some columns or some rows of a wider matrix, and a and b may be
// transposed; `out` must overlap neither.
void multiply(const at::Tensor& out, const at::Tensor& a, const at::Tensor& b, bool add = false);

// x W^T + bias as in at::linear, differentiable once; bias may be undefined. Matrices on the CPU
// are multiplied by multiply(), in the type that autocast sets. LibTorch computes everything else.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias = {});

// a b as in at::matmul of two matrices, computed in the same way.
at::Tensor product(const at::Tensor& a, const at::Tensor& b);

}  // namespace contrastive::tensors
