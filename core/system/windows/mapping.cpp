#include "core/system/mapping.h"

#include <io.h>

#include <cstdint>

#include "core/system/windows/native.h"

namespace contrastive::system {

char* map_file(int file, size_t bytes) noexcept {
  const auto handle = reinterpret_cast<HANDLE>(::_get_osfhandle(file));
  const HANDLE mapping = ::CreateFileMappingW(handle, nullptr, PAGE_WRITECOPY, 0, 0, nullptr);
  void* const address =
      mapping == nullptr ? nullptr : ::MapViewOfFile(mapping, FILE_MAP_COPY, 0, 0, bytes);
  if (address == nullptr) set_errno();
  if (mapping != nullptr) ::CloseHandle(mapping);  // the view keeps it
  return static_cast<char*>(address);
}

void unmap(char* mapping, size_t) noexcept { ::UnmapViewOfFile(mapping); }

void forget_pages(const void* begin, size_t bytes) noexcept {
  // For pages that are not locked: takes them out of the process's memory.
  ::VirtualUnlock(const_cast<void*>(begin), bytes);
}

bool has_address_space(size_t bytes) noexcept {
  void* const room = ::VirtualAlloc(nullptr, bytes, MEM_RESERVE, PAGE_NOACCESS);
  if (room == nullptr) return false;
  ::VirtualFree(room, 0, MEM_RELEASE);
  return true;
}

}  // namespace contrastive::system
