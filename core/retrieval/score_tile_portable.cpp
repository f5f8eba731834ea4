// For every processor: 6 x 8 scores, which fits the 16 registers of SSE2. Chooses among the
// compiled sets too.
#include "core/retrieval/score_tile_kernel.h"

namespace contrastive::retrieval {
namespace {

const TileKernels& portable() {
  static const TileKernels kernels = kernels_of<16, 6, 2>();
  return kernels;
}

TileFeatures features_of_this_processor() {
  TileFeatures features;
#if defined(__x86_64__)
  features.fma = __builtin_cpu_supports("fma") != 0;
  features.avx2 = __builtin_cpu_supports("avx2") != 0;
  features.avx512f = __builtin_cpu_supports("avx512f") != 0;
  features.avx512vl = __builtin_cpu_supports("avx512vl") != 0;
#endif
  return features;
}

}  // namespace

const TileKernels& tile_kernels_portable() { return portable(); }

// A set is chosen only where every instruction exists that CMakeLists.txt compiles it with.
const TileKernels& tile_kernels_for(const TileFeatures& features) {
  if (features.fma && features.avx512f && features.avx512vl && tile_kernels_avx512() != nullptr)
    return *tile_kernels_avx512();
  if (features.fma && features.avx2 && tile_kernels_avx2() != nullptr) return *tile_kernels_avx2();
  return tile_kernels_neon() != nullptr ? *tile_kernels_neon() : portable();
}

const TileKernels& tile_kernels() {
  static const TileKernels& chosen = tile_kernels_for(features_of_this_processor());
  return chosen;
}

}  // namespace contrastive::retrieval
