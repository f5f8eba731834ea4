// Config keys that list numbers, such as a grid's learning rates.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/options.h"

namespace contrastive::eval {

// At least one number, each in `range`; kArgument names the key and the entry that is not.
std::vector<double> option_numbers(const char* key, const std::vector<std::string>& texts, const Range& range);
std::vector<int64_t> option_integers(const char* key, const std::vector<std::string>& texts, const Range& range);

}  // namespace contrastive::eval
