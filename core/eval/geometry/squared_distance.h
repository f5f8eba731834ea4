// The squared Euclidean distance of two points in double.
#pragma once

#include <cstdint>

namespace contrastive::eval {

// Computed from the differences, not as 2 - 2 cos, so that points that nearly coincide keep their
// digits. It uses four sums, so that additions need not wait for each other.
inline double squared_distance(const double* x, const double* y, int64_t d) {
  double sums[4] = {};
  int64_t k = 0;
  for (; k + 4 <= d; k += 4) {
    for (int lane = 0; lane < 4; ++lane)
      sums[lane] += (x[k + lane] - y[k + lane]) * (x[k + lane] - y[k + lane]);
  }
  for (; k < d; ++k) sums[0] += (x[k] - y[k]) * (x[k] - y[k]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace contrastive::eval
