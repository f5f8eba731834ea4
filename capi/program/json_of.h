// Parses JSON from files, environment variables and arguments, and shows its values.
#pragma once

#include <string>
#include <string_view>

#include "capi/program/terminal.h"

namespace contrastive::cli {

// Discarded (is_discarded()) if the text is not JSON, or is nested deeper than 64 levels: nlohmann
// copies, compares and prints recursively, and a file of a megabyte can be nested so deeply that
// this overflows the stack.
Json json_of(std::string_view text);

// A string without quotes; any other value as JSON.
std::string plain(const Json& value);

}  // namespace contrastive::cli
