// Files in memory.
#pragma once

#include <cstddef>

namespace contrastive::system {

// Maps the first `bytes` bytes of an open file, to be read and written; what is written stays in
// this process. nullptr, and sets errno, on failure.
char* map_file(int file, size_t bytes) noexcept;
void unmap(char* mapping, size_t bytes) noexcept;
// Releases the whole pages of a range of a mapping that was not written to. They come back from the
// file when they are needed.
void forget_pages(const void* begin, size_t bytes) noexcept;
// Whether the process has this much address space left in one piece.
bool has_address_space(size_t bytes) noexcept;

}  // namespace contrastive::system
