// Memory for the tensors of training steps, reused from step to step. The system's allocator would
// return large blocks and fetch them again, page by page, which costs a step more than all its
// LayerNorms.
#pragma once

#include <ATen/core/Tensor.h>

namespace contrastive::tensors {

// An uninitialised float32 CPU tensor in memory that returns to a shared store when the last
// reference is gone. Neighbouring free pieces are merged, so the store is hardly larger than the
// most that was in use at once.
at::Tensor recycled(at::IntArrayRef sizes);
at::Tensor recycled_zeros(at::IntArrayRef sizes);
// The same for other types and devices, for which it is LibTorch's own memory.
at::Tensor recycled(at::IntArrayRef sizes, const at::TensorOptions& options);
inline at::Tensor recycled_like(const at::Tensor& x) {
  return recycled(x.sizes(), x.options());
}  // contiguous, whatever the strides of x

// Bytes in use, and the most that were in use at once.
struct MemoryUse {
  int64_t used = 0, peak = 0;
};
MemoryUse recycled_memory();
// Returns all unused memory to the system and resets the peak. Called when a training run has
// ended.
void release_recycled_memory();

}  // namespace contrastive::tensors
