// Keeps LibTorch and MKL from starting OpenMP's threads. A team of OpenMP waits by spinning, ends
// the process if the system refuses it a thread, and does not survive a fork().
// core/runtime/thread_pool.h shares all work among threads instead.
#pragma once

namespace contrastive::tensors {

// Call this first in every function that computes with LibTorch, on the same thread. From then on
// OpenMP, LibTorch and MKL compute with one thread when this thread calls them. Later calls of the
// same thread cost nothing. kLimit if the stack is too small for LibTorch
// (core/runtime/need_stack.h).
void settle_openmp();

// The same for a thread of the pool, whose stack is known to be large enough.
void compute_with_one_thread();

}  // namespace contrastive::tensors
