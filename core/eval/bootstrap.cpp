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

std::vector<Interval> paired_bootstrap(const std::vector<std::vector<double>>& differences,
                                       const BootstrapOptions& options, const Cancel* cancel) {
  check(!differences.empty() && !differences.front().empty(), Status::kArgument,
        "a bootstrap needs at least one difference");
  check(options.resamples >= 1 && options.confidence > 0 && options.confidence < 1,
        Status::kArgument, "a bootstrap of ", options.resamples, " resamples and confidence ",
        options.confidence, ": at least one, and a number between 0 and 1, are needed");
  const uint64_t n = differences.front().size();
  for (const auto& metric : differences)
    check(metric.size() == n, Status::kInternal, "a bootstrap of ", n, " queries and of ",
          metric.size());
  std::vector<std::vector<double>> means(differences.size());
  std::vector<double> sums(differences.size());
  for (int64_t resample = 0; resample < options.resamples; ++resample) {
    throw_if_cancelled(cancel);
    Rng rng(static_cast<uint64_t>(options.seed), Purpose::kBootstrap, 0,
            static_cast<uint64_t>(resample));
    std::fill(sums.begin(), sums.end(), 0);
    for (uint64_t i = 0; i < n; ++i) {
      const uint64_t query = rng.below(n);
      for (size_t metric = 0; metric < sums.size(); ++metric)
        sums[metric] += differences[metric][query];
    }
    for (size_t metric = 0; metric < sums.size(); ++metric)
      means[metric].push_back(sums[metric] / static_cast<double>(n));
  }
  std::vector<Interval> intervals;
  for (size_t metric = 0; metric < means.size(); ++metric) {
    std::sort(means[metric].begin(), means[metric].end());
    intervals.push_back({mean_of(differences[metric]),
                         quantile(means[metric], (1 - options.confidence) / 2),
                         quantile(means[metric], (1 + options.confidence) / 2)});
  }
  return intervals;
}

}  // namespace contrastive::eval
