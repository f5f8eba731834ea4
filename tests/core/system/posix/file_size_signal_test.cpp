#include "core/system/posix/file_size_signal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "core/base/error.h"
#include "core/base/file.h"
#include "tests/temporary_folder.h"

namespace contrastive::system {
namespace {

// The exit status of a child whose files may have 1,000 bytes: 0 if a longer write is an error and
// no signal is pending.
int write_beyond_the_limit(const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    int result = 1;
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    try {
      write_all(file.get(), std::string(5000, 'x'), path);
    } catch (const Error& error) {
      result = error.status() == Status::kNoSpace ? 0 : 2;
    }
    sigset_t pending;
    if (sigpending(&pending) != 0 || sigismember(&pending, SIGXFSZ) != 0) result = 3;
    ::_exit(result);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(NoFileSizeSignal, AFileBeyondTheLimitIsAnError) {
  const TemporaryFolder folder;
  EXPECT_EQ(write_beyond_the_limit(folder / "file"), 0);
}

}  // namespace
}  // namespace contrastive::system
