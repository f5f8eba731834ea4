// What macOS has and POSIX has not.
#include "core/system/file.h"

#include <stdio.h>

#include <cerrno>

namespace contrastive::system {

int open_unnamed_file(const char*) noexcept {
  errno = EOPNOTSUPP;
  return -1;
}

bool exchange(const char* a, const char* b) noexcept {
  return ::renamex_np(a, b, RENAME_SWAP) == 0;
}

}  // namespace contrastive::system
