// The names in a folder, in any order.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace contrastive::run {

inline std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename());
  return names;
}

}  // namespace contrastive::run
