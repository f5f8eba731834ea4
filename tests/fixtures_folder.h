// The folder of the tests' fixtures: the environment variable CONTRASTIVE_FIXTURES, for programs
// that run on another machine than they were built on, else the folder of the build.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace contrastive {

inline std::string fixtures() {
  const char* folder = std::getenv("CONTRASTIVE_FIXTURES");
  return folder != nullptr && *folder != '\0' ? folder : CONTRASTIVE_FIXTURES;
}

// The names of the entries of one of its folders, sorted.
inline std::vector<std::string> fixtures_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(fixtures() + "/" + folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace contrastive
