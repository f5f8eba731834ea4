// The error for an invalid command line: the unknown verb or option, and the closest known one.
#pragma once

#include <CLI/App.hpp>

#include "capi/program/failure.h"

namespace contrastive::cli {

// `problem` is the parser's error, which is reported if every word is known.
Failure command_line_failure(const CLI::App& program, const CLI::ParseError& problem, int argc,
                             char** argv);

}  // namespace contrastive::cli
