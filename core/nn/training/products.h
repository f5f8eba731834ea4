// The matrix products of the training path, on LibTorch's BLAS, written into memory that the caller chose.
#pragma once

#include <ATen/core/Tensor.h>

namespace contrastive::nn {

// out = a b, or out += a b. `out` may be some columns of a wider matrix.
void multiply(const at::Tensor& out, const at::Tensor& a, const at::Tensor& b, bool add = false);

// The sum of the rows of x [rows, width], which may be some columns of a wider matrix: [width]. The same for any number of threads.
at::Tensor sum_of_rows(const at::Tensor& x);

}  // namespace contrastive::nn
