// For every processor: 6 x 8 scores, which fits the 16 registers of SSE2. Chooses among the
// compiled sets too.
#include "core/retrieval/score_tile_kernel.h"

namespace contrastive::retrieval {
namespace {

const TileKernels& portable() {
  static const TileKernels kernels = kernels_of<16, 6, 2>();
  return kernels;
}

const TileKernels& best() {
#if defined(__x86_64__)
  const bool fma = __builtin_cpu_supports("fma");
  if (fma && __builtin_cpu_supports("avx512f") && tile_kernels_avx512() != nullptr)
    return *tile_kernels_avx512();
  if (fma && __builtin_cpu_supports("avx2") && tile_kernels_avx2() != nullptr)
    return *tile_kernels_avx2();
#endif
  return tile_kernels_neon() != nullptr ? *tile_kernels_neon() : portable();
}

}  // namespace

const TileKernels& tile_kernels_portable() { return portable(); }

const TileKernels& tile_kernels() {
  static const TileKernels& chosen = best();
  return chosen;
}

}  // namespace contrastive::retrieval
