#include "core/system/mapping.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace contrastive::system {

char* map_file(int file, size_t bytes) noexcept {
  void* const address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  return address == MAP_FAILED ? nullptr : static_cast<char*>(address);
}

void unmap(char* mapping, size_t bytes) noexcept { ::munmap(mapping, bytes); }

void forget_pages(const void* begin, size_t bytes) noexcept {
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t first = (address + page - 1) / page * page, end = (address + bytes) / page * page;
  if (first < end) ::madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

bool has_address_space(size_t bytes) noexcept {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const room = ::mmap(nullptr, bytes, PROT_NONE, kFlags, -1, 0);
  if (room == MAP_FAILED) return false;
  ::munmap(room, bytes);
  return true;
}

}  // namespace contrastive::system
