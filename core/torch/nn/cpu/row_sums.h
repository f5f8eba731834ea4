// Sums over the tokens of a batch, shared among threads.
#pragma once

#include <ATen/core/Tensor.h>

namespace contrastive::nn {

// The sum of the rows of x [rows, width], which may be some columns of a wider matrix: [width]. The
// result does not depend on the number of threads.
at::Tensor sum_of_rows(const at::Tensor& x);

}  // namespace contrastive::nn
