// The update's kernels for every processor. Only the vector type is said here; what is computed
// stands in adam.inl.
#include "core/torch/optim/kernels/update_kernels.h"

#include <cstddef>

namespace contrastive::optim::kernels {
namespace {

#include "core/encoder/kernels/vectors_baseline.inl"
#include "core/encoder/kernels/row_parts.inl"
#include "core/torch/optim/kernels/adam.inl"

}  // namespace

const UpdateKernels kBaseline{"baseline", adam, is_zero, sum_of_squares};

}  // namespace contrastive::optim::kernels
