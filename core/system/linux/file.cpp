// What Linux has and POSIX has not.
#include "core/system/file.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace contrastive::system {

int open_unnamed_file(const char* folder) noexcept {
  int file = -1;
  do {
    file = ::open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  } while (file < 0 && errno == EINTR);
  return file;
}

bool exchange(const char* a, const char* b) noexcept {
  // glibc before 2.28 and musl before 1.2.5 have no function of this name.
  return ::syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE) == 0;
}

}  // namespace contrastive::system
