// How far a difference between two systems can be trusted: both were measured on the same queries, and the queries are a sample.
#pragma once

#include <cstdint>
#include <vector>

namespace contrastive::eval {

// The mean of the differences, and between which two values it lies in `confidence` of the resamples.
struct Interval {
  double mean = 0, low = 0, high = 0;

  bool excludes_zero() const { return low > 0 || high < 0; }
};

struct BootstrapOptions {
  int64_t resamples = 10000;
  double confidence = 0.95;
  int64_t seed = 1;
};

// The paired percentile bootstrap (Efron, 1979; Koehn, 2004, for scores of one test set): of n differences n are drawn with replacement, `resamples` times,
// and the quantiles (1 - confidence) / 2 and (1 + confidence) / 2 of their means, linear between two means, are the bounds. A function of its arguments.
// kArgument without a difference.
Interval paired_bootstrap(const std::vector<double>& differences, const BootstrapOptions& options);

}  // namespace contrastive::eval
