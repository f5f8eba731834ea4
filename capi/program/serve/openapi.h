// The description of the server for machines (openapi.json), with what depends on the model that it
// serves.
#pragma once

#include <string>

namespace contrastive::cli::serve {

class Engine;

std::string describe(const Engine& engine, int most_texts);

}  // namespace contrastive::cli::serve
