// Detects NaN and infinity in vectors that are compared. They make a score that is not finite even
// in double, so finite vectors need no extra check.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/base/error.h"

namespace contrastive::retrieval {

struct NamedVectors {
  const float* rows;  // [n, d]
  int64_t n;
  const char* name;
};

// kNumeric naming the first number that is NaN or infinite, if there is one.
inline void check_finite(const NamedVectors& vectors, int64_t d) {
  const float* const end = vectors.rows + vectors.n * d;
  const float* const bad =
      std::find_if(vectors.rows, end, [](float x) { return !std::isfinite(x); });
  const int64_t at = bad - vectors.rows;
  check(bad == end, Status::kNumeric, vectors.name, ": vector ", at / d,
        " has NaN or infinity in dimension ", at % d);
}

// Runs `compare`. If it fails because a score is not finite, the error names the number that caused
// it.
template <class Compare>
void naming_non_finite(const NamedVectors& a, const NamedVectors& b, int64_t d,
                       const Compare& compare) {
  try {
    compare();
  } catch (const Error& error) {
    if (error.status() == Status::kNumeric) check_finite(a, d), check_finite(b, d);
    throw;
  }
}

}  // namespace contrastive::retrieval
