// Compiled for AVX2 where the compiler can (see CMakeLists.txt): 6 x 16 scores in 12 of 16
// registers.
#include "core/retrieval/score_tile_kernel.h"

namespace contrastive::retrieval {

const TileKernels* tile_kernels_avx2() {
#if defined(__AVX2__) && defined(__FMA__)
  static const TileKernels kernels = kernels_of<32, 6, 2>();
  return &kernels;
#else
  return nullptr;
#endif
}

}  // namespace contrastive::retrieval
