#include "core/system/process.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace contrastive::system {

int64_t process_number() noexcept { return ::getpid(); }

bool is_running(int64_t process) noexcept {
  return ::kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH;
}

std::string temporary_folder() {
  const char* const folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

}  // namespace contrastive::system
