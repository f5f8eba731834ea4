// The HTML page of `contrastive adapt`, made from the report of cs_adapt.
#pragma once

#include <string>

#include "capi/program/terminal.h"

namespace contrastive::cli::report {

std::string adaptation_page(const Json& report);

}  // namespace contrastive::cli::report
