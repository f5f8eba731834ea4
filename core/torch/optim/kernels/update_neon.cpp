// The update's kernels for arm64 processors. Only the vector type is said here; what is computed
// stands in adam.inl.
#include "core/torch/optim/kernels/update_kernels.h"

#include <cstddef>

#if defined(__aarch64__)
#include <arm_neon.h>

namespace contrastive::optim::kernels {
namespace {

#include "core/encoder/kernels/vectors_neon.inl"
#include "core/encoder/kernels/row_parts.inl"
#include "core/torch/optim/kernels/adam.inl"

}  // namespace

const UpdateKernels kNeon{"neon", adam, is_zero, sum_of_squares};

}  // namespace contrastive::optim::kernels

#endif
