#include "core/encoder/relative_bias.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace contrastive::encoder {

int64_t distance_bucket(int64_t distance, int64_t buckets, int64_t furthest) {
  const int64_t half = buckets / 2, exact = half / 2, n = std::llabs(distance),
                upper = distance > 0 ? half : 0;
  if (n < exact) return upper + n;
  const double share = std::log(static_cast<double>(n) / static_cast<double>(exact)) /
                       std::log(static_cast<double>(furthest) / static_cast<double>(exact)) *
                       static_cast<double>(half - exact);
  // If the quotient is an integer, rounding must not push it below.
  return upper + std::min(half - 1, exact + static_cast<int64_t>(std::floor(share + 1e-9)));
}

std::vector<float> alibi_slopes(int64_t heads) {
  int64_t power = 1;
  while (2 * power <= heads) power *= 2;
  std::vector<float> slopes;
  for (int64_t i = 0; i < power; ++i)
    slopes.push_back(static_cast<float>(
        std::pow(2.0, -8.0 * static_cast<double>(i + 1) / static_cast<double>(power))));
  for (int64_t i = 0; i < heads - power; ++i) {
    slopes.push_back(static_cast<float>(
        std::pow(2.0, -8.0 * static_cast<double>(2 * i + 1) / static_cast<double>(2 * power))));
  }
  return slopes;
}

}  // namespace contrastive::encoder
