// Confidence intervals for the difference of two systems that were measured on the same queries,
// which are a sample.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/cancel.h"

namespace contrastive::eval {

// The mean of the differences, and the interval that contains it in `confidence` of the resamples.
struct Interval {
  double mean = 0, low = 0, high = 0;

  bool excludes_zero() const { return low > 0 || high < 0; }
};

struct BootstrapOptions {
  int64_t resamples = 10000;
  double confidence = 0.95;
  int64_t seed = 1;
};

// The paired percentile bootstrap (Efron, 1979; Koehn, 2004, for scores of one test set). It draws
// n of the n differences with replacement, `resamples` times. The bounds are the quantiles (1 -
// confidence) / 2 and (1 + confidence) / 2 of the means, interpolated linearly. The result depends
// only on the arguments. `differences`: one list for each metric, all over the same n queries,
// which are drawn once for all metrics; an interval for each. `cancel` is polled in each resample.
// kArgument if there are no differences.
std::vector<Interval> paired_bootstrap(const std::vector<std::vector<double>>& differences,
                                       const BootstrapOptions& options,
                                       const Cancel* cancel = nullptr);

}  // namespace contrastive::eval
