// Normal random points: [n, d], the same each time.
#pragma once

#include <vector>

#include "core/base/rng.h"

namespace contrastive::eval {

inline std::vector<float> random_points(int64_t n, int64_t d) {
  Rng rng(1, Purpose::kInitialise);
  std::vector<float> points(n * d);
  for (float& x : points) x = static_cast<float>(rng.normal());
  return points;
}

}  // namespace contrastive::eval
