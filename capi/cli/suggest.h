// A hint for a command line that was not understood: the known verb or option that is nearest to the one that is not known.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace contrastive::cli {

std::string suggestion(const CLI::App& program, int argc, char** argv);

// The candidate nearest to `name` by edit distance; "" where none is near enough to be a slip of the fingers.
std::string nearest(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace contrastive::cli
