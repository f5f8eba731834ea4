// Runs that differ in their seed, and the figures of several of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace contrastive::eval {

// A config's list of seeds: whole numbers from 0 to 2^64 - 1, at least one. kArgument otherwise.
std::vector<uint64_t> parse_seeds(const std::vector<std::string>& list);

// Adds {name: mean} to `report`, and for several values {name + "_std": sample standard deviation}. Not for an empty list; NaN is null.
void report_runs(Json& report, const std::string& name, const std::vector<double>& values);

}  // namespace contrastive::eval
