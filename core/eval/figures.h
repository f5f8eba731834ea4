// A report's numbers by their paths: {"spearman": {"all": 0.8}} has the figure "spearman.all".
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"

namespace contrastive::eval {

// NaN (a figure that is not defined) becomes null, because JSON has no NaN.
inline Json number_or_null(double value) { return value == value ? Json(value) : Json(); }

// Every number of `report` with its path, in the order of the report; NaN for null. Texts and lists
// have no figures. In names, which may come from a file, every character but letters, digits, '.',
// '_', '-' and '@' becomes '_'.
std::vector<std::pair<std::string, double>> figures_of(const Json& report);
std::vector<std::string> figure_names(const Json& report);

}  // namespace contrastive::eval
