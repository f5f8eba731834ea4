// Checks of shared library files before they are loaded.
#pragma once

#include <string>

namespace contrastive::runtime {

// Why a file cannot be loaded as a library; "" if it is a complete ELF file for this machine. The
// loader maps a file according to its ELF header, and a process that touches the missing part of a
// truncated file is killed by SIGBUS.
std::string problem_of_library(const std::string& path);

// Whether the process has address space for the file and for `more` bytes that its constructors
// allocate. Without room for the file, the loader's error message looks as if the file could not be
// mapped at all. Without room for the constructors, C++ ends the process.
bool has_room_for_library(const std::string& path, size_t more = 0);

}  // namespace contrastive::runtime
