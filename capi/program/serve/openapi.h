// The OpenAPI description of the server (openapi.json), completed for the model that it serves.
#pragma once

#include <string>

namespace contrastive::cli::serve {

class Engine;

std::string describe(const Engine& engine, int most_texts);

}  // namespace contrastive::cli::serve
