// Files that CMake embeds in the program (page.html, openapi.json).
#pragma once

#include <string_view>

namespace contrastive::cli::serve {

extern const std::string_view kPage;
extern const std::string_view kOpenApi;

}  // namespace contrastive::cli::serve
