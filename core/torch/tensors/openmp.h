// OpenMP's threads, which LibTorch and its MKL would start by themselves: they are left where they
// are. A team of OpenMP waits by spinning, ends the process where the system refuses it a thread,
// and does not survive a fork(); all that is shared among threads is shared by
// core/runtime/thread_pool.h.
#pragma once

namespace contrastive::tensors {

// To be called at the head of whatever computes with LibTorch, on the thread that will: from then
// on OpenMP, LibTorch and MKL compute with one thread when this thread calls them. Costs nothing
// after a thread's first call. kLimit where the stack is too small for LibTorch
// (core/runtime/need_stack.h).
void settle_openmp();

// The same for a thread of the pool, whose stack is known to be large enough.
void compute_with_one_thread();

}  // namespace contrastive::tensors
