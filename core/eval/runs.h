// Figures over several runs that differ in their seed.
#pragma once

#include <string>
#include <vector>

#include "core/base/json.h"

namespace contrastive::eval {

// Mean and standard deviation (of a sample: n - 1) over runs. NaN if any value is NaN: an average
// would hide the runs that failed. The deviation of a single value is NaN too.
struct MeanAndStd {
  double mean = 0, std = 0;
};
MeanAndStd mean_and_std(const std::vector<double>& values);

// Adds {name: mean} to `report`, and for several values also {name + "_std": deviation}. The list
// must not be empty; NaN becomes null.
void report_runs(Json& report, const std::string& name, const std::vector<double>& values);

}  // namespace contrastive::eval
