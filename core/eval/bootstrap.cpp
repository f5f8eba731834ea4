#include "core/eval/bootstrap.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/rng.h"

namespace contrastive::eval {
namespace {

// Linear between the two neighbours, as numpy has it by default. `values` in rising order.
double quantile(const std::vector<double>& values, double share) {
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

Interval paired_bootstrap(const std::vector<double>& differences, const BootstrapOptions& options) {
  check(!differences.empty(), Status::kArgument, "a bootstrap needs at least one difference");
  check(options.resamples >= 1 && options.confidence > 0 && options.confidence < 1, Status::kArgument, "a bootstrap of ", options.resamples,
        " resamples and confidence ", options.confidence, ": at least one, and a number between 0 and 1, are needed");
  const uint64_t n = differences.size();
  std::vector<double> means;
  for (int64_t resample = 0; resample < options.resamples; ++resample) {
    Rng rng(static_cast<uint64_t>(options.seed), Purpose::kBootstrap, 0, static_cast<uint64_t>(resample));
    double sum = 0;
    for (uint64_t i = 0; i < n; ++i) sum += differences[rng.below(n)];
    means.push_back(sum / static_cast<double>(n));
  }
  std::sort(means.begin(), means.end());
  return {mean_of(differences), quantile(means, (1 - options.confidence) / 2), quantile(means, (1 + options.confidence) / 2)};
}

}  // namespace contrastive::eval
