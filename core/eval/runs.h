// Runs that differ in their seed, and the figures of several of them.
#pragma once

#include <string>
#include <vector>

#include "core/base/json.h"

namespace contrastive::eval {

// Mean and standard deviation (of a sample: n - 1) over runs; NaN where a value is, the deviation
// also for a single one.
struct MeanAndStd {
  double mean = 0, std = 0;
};
MeanAndStd mean_and_std(const std::vector<double>& values);

// Adds {name: mean} to `report`, and for several values {name + "_std": deviation}. Not for an
// empty list; NaN is null.
void report_runs(Json& report, const std::string& name, const std::vector<double>& values);

}  // namespace contrastive::eval
