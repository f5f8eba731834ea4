// Shared libraries as files.
#pragma once

#include <string>

namespace contrastive::runtime {

// What is wrong with a file that is to be loaded as a library: "" where it is an ELF file of this
// machine and whole. The loader maps a file by what stands in its head, and a process that touches
// what a cut-off file lacks ends by SIGBUS.
std::string problem_of_library(const std::string& path);

// Whether the addresses of the process have room for the file and so many bytes more, which its
// constructors take. Where the file finds none, the loader's message reads as if it could not be
// mapped at all; where its constructors find none, C++ ends the process.
bool has_room_for_library(const std::string& path, size_t more = 0);

}  // namespace contrastive::runtime
