#include "core/encoder/kernels/kernel_table.h"

#include "core/encoder/kernels/row_products.h"

namespace contrastive::encoder::kernels {
namespace {

#if defined(__x86_64__)
template <class Table>
std::vector<const Table*> usable_of(const Table& baseline, const Table& avx2, const Table& avx512) {
  std::vector<const Table*> usable{&baseline};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) usable.push_back(&avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) usable.push_back(&avx512);
  return usable;
}
#endif

}  // namespace

#if defined(__x86_64__)
std::vector<const KernelTable*> usable_kernels() { return usable_of(kBaseline, kAvx2, kAvx512); }
std::vector<const RowKernels*> usable_row_kernels() { return usable_of(kBaselineRows, kAvx2Rows, kAvx512Rows); }
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
