#include "core/system/path.h"

namespace contrastive::system {

bool is_separator(char c) noexcept { return c == '/'; }

bool is_absolute(std::string_view path) noexcept { return !path.empty() && path[0] == '/'; }

size_t root_length(std::string_view path) noexcept { return is_absolute(path) ? 1 : 0; }

bool is_usable_name(std::string_view) noexcept { return true; }

}  // namespace contrastive::system
