// JSON out of files, variables and arguments.
#pragma once

#include <string_view>

#include "capi/program/terminal.h"

namespace contrastive::cli {

// Discarded (is_discarded()) where the text is no JSON, or is nested deeper than 64 levels:
// nlohmann copies, compares and prints by recursion, and a file of a megabyte can be nested deeper
// than the stack is.
Json json_of(std::string_view text);

}  // namespace contrastive::cli
