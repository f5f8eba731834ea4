// A small folder that is saved as a whole, and what is in a folder.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "core/io/atomic_folder.h"

namespace contrastive::test {

inline std::set<std::string> names(const std::string& folder) {
  std::set<std::string> result;
  for (const auto& item : std::filesystem::directory_iterator(folder))
    result.insert(item.path().filename().string());
  return result;
}

// Saves a folder of two files with the same content.
inline void save(const std::string& target, const std::string& content) {
  io::AtomicFolder out(target, {});
  out.write_file("a.txt", content);
  out.make_folder("sub");
  out.write_file("sub/b.txt", content);
  out.commit();
}

}  // namespace contrastive::test
