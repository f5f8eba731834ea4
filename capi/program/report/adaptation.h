// The page of an adaptation, of what cs_adapt reports.
#pragma once

#include <string>

#include "capi/program/terminal.h"

namespace contrastive::cli::report {

std::string adaptation_page(const Json& report);

}  // namespace contrastive::cli::report
