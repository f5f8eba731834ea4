// The number of threads that the library computes with: one number for the process and its thread
// pool. LibTorch computes with one thread (core/torch/tensors/openmp.h).
#pragma once

namespace contrastive::runtime {

// 1 to 1024, or 0 for the default; throws kArgument otherwise. Takes effect for calls that start
// later.
void set_threads(int count);
// The default is OMP_NUM_THREADS if it is set, otherwise the number of processors that this process
// may run on, but at most its CPU limit (cpu_quota.h).
int threads();

}  // namespace contrastive::runtime
