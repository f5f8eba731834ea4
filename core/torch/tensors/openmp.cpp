// Compiled with OpenMP.
#include "core/torch/tensors/openmp.h"

#include <ATen/Parallel.h>
#include <omp.h>

#include "core/runtime/need_stack.h"

// Of MKL, inside libtorch_cpu.so: how many threads its products use when this thread calls them.
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
  at::get_num_threads();  // LibTorch's own choice for this thread, made once, comes first and gives
                          // way
  omp_set_num_threads(1);
  if (MKL_Set_Num_Threads_Local != nullptr) MKL_Set_Num_Threads_Local(1);
  settled = true;
}

}  // namespace contrastive::tensors
