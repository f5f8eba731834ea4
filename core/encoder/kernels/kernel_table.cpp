#include "core/encoder/kernels/kernel_table.h"

#include "core/encoder/kernels/row_products.h"
#include "core/encoder/kernels/usable_builds.h"

namespace contrastive::encoder::kernels {

#if defined(__x86_64__)
std::vector<const KernelTable*> usable_kernels() {
  return usable_builds(kBaseline, kAvx2, kAvx512);
}
std::vector<const RowKernels*> usable_row_kernels() {
  return usable_builds(kBaselineRows, kAvx2Rows, kAvx512Rows);
}
#elif defined(__aarch64__)
std::vector<const KernelTable*> usable_kernels() { return usable_builds(kBaseline, kNeon); }
std::vector<const RowKernels*> usable_row_kernels() {
  return usable_builds(kBaselineRows, kNeonRows);
}
#else
std::vector<const KernelTable*> usable_kernels() { return {&kBaseline}; }
std::vector<const RowKernels*> usable_row_kernels() { return {&kBaselineRows}; }
#endif

const KernelTable& best_kernels() {
  static const KernelTable& best = *usable_kernels().back();
  return best;
}

const RowKernels& best_row_kernels() {
  static const RowKernels& best = *usable_row_kernels().back();
  return best;
}

}  // namespace contrastive::encoder::kernels
