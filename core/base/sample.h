// Random counts and subsets for augmentation: how many of n items to take, and which ones. Masking,
// deletion and substitution use them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/rng.h"

namespace contrastive {

// int(share * n + u) with u uniform in [0, 1): share * n on average, and never off by 1 or more.
// Computed in double and truncated.
inline int64_t rounded_count(double share, int64_t n, double u) {
  return static_cast<int64_t>(share * static_cast<double>(n) + u);
}

// Chooses `k` of the numbers 0 ... n-1, in rising order. Every set of k is equally likely
// (selection sampling, Knuth 3.4.2 S). Returns all n if k is larger.
inline std::vector<int64_t> choose(int64_t n, int64_t k, Rng& rng) {
  std::vector<int64_t> chosen;
  for (int64_t i = 0; i < n && k > 0; ++i) {
    if (rng.below(static_cast<uint64_t>(n - i)) >= static_cast<uint64_t>(k)) continue;
    chosen.push_back(i);
    --k;
  }
  return chosen;
}

}  // namespace contrastive
