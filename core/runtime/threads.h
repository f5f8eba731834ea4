// How many threads the library computes with: one number for the process, used by its own thread pool and, through openmp.h, by
// LibTorch's.
#pragma once

namespace contrastive::runtime {

// 1 to 1024 (kArgument otherwise); takes effect for calls that start later.
void set_threads(int count);
// Without set_threads: OMP_NUM_THREADS where it is set, else the processors this process may run on.
int threads();

}  // namespace contrastive::runtime
