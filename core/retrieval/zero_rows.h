// Counts vectors of length 0. Their cosine to everything is defined as 0, and the log warns how
// many there were, because they are a sign of a broken pipeline.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/log.h"
#include "core/retrieval/similarity.h"

namespace contrastive::retrieval {

// Reads a row up to its first number that is not 0, so most rows cost one read.
inline int64_t zero_rows(const float* rows, int64_t n, int64_t d) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i)
    count += std::all_of(rows + i * d, rows + (i + 1) * d, [](float x) { return x == 0; }) ? 1 : 0;
  return count;
}

// One warning a call, for both sides together. Distances and dot products of zero vectors are what
// they are.
inline void warn_of_zero_rows(const float* a, int64_t n_a, const float* b, int64_t n_b, int64_t d,
                              Metric metric) {
  if (metric != Metric::kCosine || !log_enabled(LogLevel::kWarning)) return;
  const int64_t count = zero_rows(a, n_a, d) + zero_rows(b, n_b, d);
  if (count > 0)
    log_warning(count, " of ", n_a + n_b,
                " vectors are zero: their cosine to everything is taken as 0");
}

}  // namespace contrastive::retrieval
