#include "core/system/path.h"

#include <cctype>

namespace contrastive::system {
namespace {

bool has_drive(std::string_view path) {
  return path.size() >= 2 && path[1] == ':' &&
         std::isalpha(static_cast<unsigned char>(path[0])) != 0;
}

bool is_equal(std::string_view name, std::string_view lower) {
  if (name.size() != lower.size()) return false;
  for (size_t i = 0; i < name.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(name[i])) != lower[i]) return false;
  }
  return true;
}

// Devices, which have their names in every folder, with any extension.
bool is_device(std::string_view name) {
  const std::string_view stem = name.substr(0, name.find('.'));
  for (const char* device : {"con", "prn", "aux", "nul"}) {
    if (is_equal(stem, device)) return true;
  }
  const bool numbered = stem.size() == 4 && stem[3] >= '1' && stem[3] <= '9';
  return numbered && (is_equal(stem.substr(0, 3), "com") || is_equal(stem.substr(0, 3), "lpt"));
}

}  // namespace

bool is_separator(char c) noexcept { return c == '/' || c == '\\'; }

bool is_absolute(std::string_view path) noexcept {
  return has_drive(path) || (!path.empty() && is_separator(path[0]));
}

size_t root_length(std::string_view path) noexcept {
  if (has_drive(path)) return path.size() > 2 && is_separator(path[2]) ? 3 : 2;
  if (path.empty() || !is_separator(path[0])) return 0;
  if (path.size() < 2 || !is_separator(path[1])) return 1;
  size_t end = 2;  // "\\server\share\"
  for (int names = 0; names < 2 && end < path.size(); ++names) {
    while (end < path.size() && !is_separator(path[end])) ++end;
    if (end < path.size()) ++end;
  }
  return end;
}

bool is_usable_name(std::string_view name) noexcept {
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 32 ||
        std::string_view("<>:\"|?*").find(c) != std::string::npos)
      return false;
  }
  return !name.empty() && name.back() != '.' && name.back() != ' ' && !is_device(name);
}

}  // namespace contrastive::system
