// Rejects embeddings with NaN. A search would neither find such a row nor find anything for it, so
// the figures would only look wrong.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/base/error.h"

namespace contrastive::eval {

// kNumeric with the number of the first of `n` rows of `d` that contains NaN or infinity. `what`:
// what a row belongs to; rows are counted from `first`.
inline void check_finite(const float* rows, int64_t n, int64_t d, const char* what,
                         int64_t first = 1) {
  for (int64_t i = 0; i < n; ++i) {
    const bool finite = std::all_of(rows + i * d, rows + (i + 1) * d,
                                    [](float value) { return std::isfinite(value); });
    check(finite, Status::kNumeric, "the embedding of ", what, " ", first + i,
          " holds NaN or infinity");
  }
}

}  // namespace contrastive::eval
