// What names and separators of paths look like.
#pragma once

#include <string>
#include <string_view>

namespace contrastive::system {

bool is_separator(char c) noexcept;  // '/', and on Windows '\' too
// Whether a path does not depend on the working folder: "/a"; on Windows also "C:\a", "C:a" and
// "\\server\share\a".
bool is_absolute(std::string_view path) noexcept;
// How many characters at the beginning name a root, which has no parent: 1 for "/a", 3 for "C:\a".
size_t root_length(std::string_view path) noexcept;
// Whether the system can have a file of this name. Windows has none for "nul", "com1.txt", "a.",
// "a ", and names with one of <>:"|?*.
bool is_usable_name(std::string_view name) noexcept;

}  // namespace contrastive::system
