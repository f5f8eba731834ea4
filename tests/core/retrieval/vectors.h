// Random vectors and a plain reference for the tests of this folder.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/retrieval/similarity.h"

namespace contrastive::retrieval {

constexpr Metric kAllMetrics[] = {Metric::kCosine, Metric::kDot, Metric::kEuclidean,
                                  Metric::kManhattan};

inline std::vector<float> random_vectors(int64_t n, int64_t d, uint64_t seed) {
  Rng rng(seed, Purpose::kInitialise);
  std::vector<float> values(n * d);
  for (float& x : values) x = static_cast<float>(rng.normal());
  return values;
}

// The definition, in double.
inline double reference(const float* x, const float* y, int64_t d, Metric metric) {
  double xy = 0, xx = 0, yy = 0, squares = 0, absolute = 0;
  for (int64_t k = 0; k < d; ++k) {
    const double a = x[k], b = y[k];
    xy += a * b, xx += a * a, yy += b * b, squares += (a - b) * (a - b),
        absolute += std::abs(a - b);
  }
  switch (metric) {
    case Metric::kCosine: return xx == 0 || yy == 0 ? 0 : xy / std::sqrt(xx) / std::sqrt(yy);
    case Metric::kDot: return xy;
    case Metric::kEuclidean: return -std::sqrt(squares);
    case Metric::kManhattan: return -absolute;
  }
  return std::nan("");
}

}  // namespace contrastive::retrieval
