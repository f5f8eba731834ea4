// A report's numbers by their paths: {"spearman": {"all": 0.8}} has the figure "spearman.all".
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"

namespace contrastive::eval {

// NaN (a figure that is not defined) as null, which is what JSON has for it.
inline Json number_or_null(double value) { return value == value ? Json(value) : Json(); }

// Every number of `report` under its path, in the order of the report; NaN where there is null.
// Texts and lists have no figures. Of a name, which may come from a file, what is no letter, digit,
// '.', '_', '-' or '@' becomes '_'.
std::vector<std::pair<std::string, double>> figures_of(const Json& report);
std::vector<std::string> figure_names(const Json& report);

}  // namespace contrastive::eval
