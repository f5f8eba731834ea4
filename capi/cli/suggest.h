// What was wrong with a command line that was not understood: the verb or option that is not known, and the known one that is nearest to it.
#pragma once

#include <CLI/App.hpp>

#include "capi/cli/failure.h"

namespace contrastive::cli {

// `problem` is what the parser says of it, which counts where every word is known.
Failure command_line_failure(const CLI::App& program, const CLI::ParseError& problem, int argc, char** argv);

}  // namespace contrastive::cli
