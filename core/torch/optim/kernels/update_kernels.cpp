#include "core/torch/optim/kernels/update_kernels.h"

#include "core/encoder/kernels/usable_builds.h"

namespace contrastive::optim::kernels {

#if defined(__x86_64__)
std::vector<const UpdateKernels*> usable_update_kernels() {
  return encoder::kernels::usable_builds(kBaseline, kAvx2, kAvx512);
}
#elif defined(__aarch64__)
std::vector<const UpdateKernels*> usable_update_kernels() {
  return encoder::kernels::usable_builds(kBaseline, kNeon);
}
#else
std::vector<const UpdateKernels*> usable_update_kernels() { return {&kBaseline}; }
#endif

const UpdateKernels& best_update_kernels() {
  static const UpdateKernels& best = *usable_update_kernels().back();
  return best;
}

}  // namespace contrastive::optim::kernels
