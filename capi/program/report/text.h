// Numbers and texts for a report: numbers as people read them, long texts cut.
#pragma once

#include <string>
#include <vector>

#include "capi/program/terminal.h"

namespace contrastive::cli::report {

// Four significant digits: "0.8123", "1,250", "2·10⁻⁵"; "–" for what is not a number.
std::string compact(double number);

// An array of the numbers with seven significant digits; null for what is not a number.
Json rounded(const std::vector<double>& numbers);

// At most about `bytes` of the text, with an ellipsis if some of it is missing. No character is
// cut.
std::string excerpt(const std::string& text, size_t bytes);

}  // namespace contrastive::cli::report
