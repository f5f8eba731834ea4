// How many threads the library computes with: one number for the process and its thread pool.
// LibTorch computes with one (core/torch/tensors/openmp.h).
#pragma once

namespace contrastive::runtime {

// 1 to 1024, or 0 for the default (kArgument otherwise); takes effect for calls that start later.
void set_threads(int count);
// Without set_threads: OMP_NUM_THREADS where it is set, else the processors that this process may
// run on, as far as its control groups grant their time (cpu_quota.h).
int threads();

}  // namespace contrastive::runtime
