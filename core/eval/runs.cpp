#include "core/eval/runs.h"

#include <cmath>

#include "core/eval/figures.h"
#include "core/eval/undefined.h"

namespace contrastive::eval {

MeanAndStd mean_and_std(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  MeanAndStd result;
  for (const double value : values) result.mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.std = values.size() > 1 ? std::sqrt(squares / (count - 1)) : kUndefined;
  return result;
}

void report_runs(Json& report, const std::string& name, const std::vector<double>& values) {
  const MeanAndStd spread = mean_and_std(values);
  report[name] = number_or_null(spread.mean);
  if (values.size() > 1) report[name + "_std"] = number_or_null(spread.std);
}

}  // namespace contrastive::eval
