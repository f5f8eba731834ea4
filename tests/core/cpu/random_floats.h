// Normal random numbers for the tests of kernels: [count], the same for the same seed.
#pragma once

#include <vector>

#include "core/base/rng.h"

namespace contrastive::cpu {

inline std::vector<float> random_floats(int64_t count, uint64_t seed) {
  Rng rng(seed, Purpose::kSubset);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = static_cast<float>(rng.normal());
  return values;
}

}  // namespace contrastive::cpu
