// For arm64, where NEON is everywhere: 12 x 8 scores in 24 of 32 registers.
#include "core/retrieval/score_tile_kernel.h"

namespace contrastive::retrieval {

const TileKernels* tile_kernels_neon() {
#if defined(__aarch64__)
  static const TileKernels kernels = kernels_of<16, 12, 2>();
  return &kernels;
#else
  return nullptr;
#endif
}

}  // namespace contrastive::retrieval
