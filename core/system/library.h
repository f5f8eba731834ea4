// Shared libraries in this process.
#pragma once

#include <string>

namespace contrastive::system {

enum class Bind { kLazily, kNow };

// Loads a library by its path, or by its name as the loader finds it. Its symbols are not visible
// to libraries that are loaded later. nullptr on failure, which library_error() describes.
void* open_library(const char* name, Bind bind) noexcept;
void close_library(void* library) noexcept;
// Why the last open_library() of this thread failed.
std::string library_error();

struct LoadedLibrary {
  std::string path;             // "" if unknown
  const void* begin = nullptr;  // the first address; nullptr if it is not loaded
};
// The library of this name if the process has loaded one. Loads nothing.
LoadedLibrary loaded_library(const char* name);
// The library that an address lies in.
LoadedLibrary library_of(const void* address);

}  // namespace contrastive::system
