#include "core/nn/kernels/kernel_table.h"

namespace contrastive::nn::kernels {

std::vector<const KernelTable*> usable_kernels() {
  std::vector<const KernelTable*> usable{&kBaseline};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) usable.push_back(&kAvx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) usable.push_back(&kAvx512);
#endif
  return usable;
}

const KernelTable& best_kernels() {
  static const KernelTable& best = *usable_kernels().back();
  return best;
}

}  // namespace contrastive::nn::kernels
