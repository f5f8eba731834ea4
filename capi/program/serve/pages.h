// The files that the program carries with it (page.html, openapi.json), put into it by CMake.
#pragma once

#include <string_view>

namespace contrastive::cli::serve {

extern const std::string_view kPage;
extern const std::string_view kOpenApi;

}  // namespace contrastive::cli::serve
