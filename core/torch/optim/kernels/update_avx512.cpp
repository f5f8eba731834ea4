// The update's kernels for processors with AVX-512. Only the vector type is said here; what is
// computed stands in adam.inl.
#include "core/torch/optim/kernels/update_kernels.h"

#include <cstddef>

#if defined(__x86_64__)
#include <immintrin.h>

// From here on this file is compiled for the processor named; nothing of a system header may
// follow, or its inline functions would be, too.
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma")

namespace contrastive::optim::kernels {
namespace {

#include "core/encoder/kernels/vectors_avx512.inl"
#include "core/encoder/kernels/row_parts.inl"
#include "core/torch/optim/kernels/adam.inl"

}  // namespace

const UpdateKernels kAvx512{"avx512", adam, is_zero, sum_of_squares};

}  // namespace contrastive::optim::kernels

#pragma GCC pop_options
#endif
