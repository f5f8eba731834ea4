// Reports a current folder that was removed. LibTorch's math library cannot be loaded there, and
// ends the process before main with an unclear message. So this is checked first, in a function
// that the loader calls before the constructors of any library.
#include <limits.h>
#include <unistd.h>

#include <cerrno>

namespace {

void refuse_removed_folder(int, char**, char**) {
  static const char kText[] =
      "contrastive: the current folder was removed: change to one that exists\n";
  char path[PATH_MAX];
  if (getcwd(path, sizeof path) != nullptr || errno != ENOENT) return;
  constexpr int kExitFiles = 4;
  if (write(STDERR_FILENO, kText, sizeof kText - 1) < 0) _exit(kExitFiles);
  _exit(kExitFiles);
}

}  // namespace

__attribute__((section(".preinit_array"), used)) void (*const contrastive_refuse_removed_folder)(
    int, char**, char**) = refuse_removed_folder;
