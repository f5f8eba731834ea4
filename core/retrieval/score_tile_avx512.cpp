// Compiled for AVX-512 where the compiler can (see CMakeLists.txt): 12 x 32 scores in 24 of 32
// registers.
#include "core/retrieval/score_tile_kernel.h"

namespace contrastive::retrieval {

const TileKernels* tile_kernels_avx512() {
#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__FMA__)
  static const TileKernels kernels = kernels_of<64, 12, 2>();
  return &kernels;
#else
  return nullptr;
#endif
}

}  // namespace contrastive::retrieval
