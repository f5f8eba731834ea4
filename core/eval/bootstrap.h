// How far a difference between two systems can be trusted: both were measured on the same queries,
// and the queries are a sample.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/cancel.h"

namespace contrastive::eval {

// The mean of the differences, and between which two values it lies in `confidence` of the
// resamples.
struct Interval {
  double mean = 0, low = 0, high = 0;

  bool excludes_zero() const { return low > 0 || high < 0; }
};

struct BootstrapOptions {
  int64_t resamples = 10000;
  double confidence = 0.95;
  int64_t seed = 1;
};

// The paired percentile bootstrap (Efron, 1979; Koehn, 2004, for scores of one test set): of n
// differences n are drawn with replacement, `resamples` times, and the quantiles (1 - confidence) /
// 2 and (1 + confidence) / 2 of their means, linear between two means, are the bounds. A function
// of its arguments. `differences`: by one or more metrics, each of the same n queries, which are
// drawn once for all; an interval for each. `cancel` is looked at in each resample. kArgument
// without a difference.
std::vector<Interval> paired_bootstrap(const std::vector<std::vector<double>>& differences,
                                       const BootstrapOptions& options,
                                       const Cancel* cancel = nullptr);

}  // namespace contrastive::eval
