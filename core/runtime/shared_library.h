// Shared libraries as files.
#pragma once

#include <string>

namespace contrastive::runtime {

// What is wrong with a file that is to be loaded as a library: "" where it is an ELF file of this machine and whole. The loader maps a file by what
// stands in its head, and a process that touches what a cut-off file lacks ends by SIGBUS.
std::string problem_of_library(const std::string& path);

// Whether the process has no room for the file in its memory: what the loader then says reads as if the file could not be mapped at all.
bool has_room_for_library(const std::string& path);

}  // namespace contrastive::runtime
