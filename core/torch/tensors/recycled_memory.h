// Memory of the training step, kept from step to step. The system's allocator gives large blocks
// back and gets them anew, page by page, which costs a step more than all its LayerNorms.
#pragma once

#include <ATen/core/Tensor.h>

namespace contrastive::tensors {

// An uninitialised float32 CPU tensor in memory that returns to a common store when the last
// reference goes. Neighbouring free pieces grow together again, so that the store is hardly larger
// than the most that was in use at once.
at::Tensor recycled(at::IntArrayRef sizes);
at::Tensor recycled_zeros(at::IntArrayRef sizes);
// Of another type or device as well, which then is LibTorch's own memory.
at::Tensor recycled(at::IntArrayRef sizes, const at::TensorOptions& options);
inline at::Tensor recycled_like(const at::Tensor& x) {
  return recycled(x.sizes(), x.options());
}  // rows end to end, whatever x's are

// Bytes in use, and the most that were in use at once.
struct MemoryUse {
  int64_t used = 0, peak = 0;
};
MemoryUse recycled_memory();
// Gives everything unused back to the system, and counts the peak anew: when a training has ended.
void release_recycled_memory();

}  // namespace contrastive::tensors
