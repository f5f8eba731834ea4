// The only file that is compiled with OpenMP.
#include "core/torch/tensors/openmp.h"

#include <ATen/Parallel.h>
#include <omp.h>

#include "core/runtime/need_stack.h"

// A function of MKL, inside libtorch_cpu.so: how many threads its products use when this thread
// calls them.
extern "C" __attribute__((weak)) int MKL_Set_Num_Threads_Local(
    int threads);  // C linkage: the name in lower case takes a pointer

namespace contrastive::tensors {

void settle_openmp() {
  runtime::need_stack(runtime::kStackOfLibTorch);
  compute_with_one_thread();
}

void compute_with_one_thread() {
  thread_local bool settled = false;
  if (settled) return;
  // LibTorch chooses for this thread once, at its first call: let it do so now, then override it.
  at::get_num_threads();
  omp_set_num_threads(1);
  if (MKL_Set_Num_Threads_Local != nullptr) MKL_Set_Num_Threads_Local(1);
  settled = true;
}

}  // namespace contrastive::tensors
