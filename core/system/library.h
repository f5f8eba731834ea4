// Shared libraries in this process.
#pragma once

#include <string>

namespace contrastive::system {

enum class Bind { kLazily, kNow };

// The file name of a library: "libtorch_cpu.so" for "torch_cpu" on Linux. `interface`: the number
// of its binary interface, which Linux and macOS add to the name.
std::string library_file(const std::string& name, const std::string& interface = "");

// Why a file cannot be loaded as a library of this process; "" if it may be. On Linux it must be a
// complete ELF file for this processor: the loader maps a file according to its ELF header, and a
// process that touches the missing part of a truncated file is killed by SIGBUS. Other systems'
// loaders check files themselves.
std::string problem_of_library(const std::string& path);

// Loads a library by its path, or by its name as the loader finds it. Its symbols are not visible
// to libraries that are loaded later. nullptr on failure, which library_error() describes.
void* open_library(const char* name, Bind bind) noexcept;
void close_library(void* library) noexcept;
// Why the last open_library() of this thread failed.
std::string library_error();

// The address of a symbol of a library that the process has loaded; nullptr if it has none.
void* find_symbol(const char* library, const char* name) noexcept;

struct LoadedLibrary {
  std::string path;             // "" if unknown
  const void* begin = nullptr;  // the first address; nullptr if it is not loaded
};
// The library of this name if the process has loaded one. Loads nothing.
LoadedLibrary loaded_library(const char* name);
// The library that an address lies in.
LoadedLibrary library_of(const void* address);

}  // namespace contrastive::system
