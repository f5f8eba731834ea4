// As long as it exists, no file of this process can grow beyond a size. A write then fails as on a
// full disk, with EFBIG in place of ENOSPC, and the test needs no small file system.
#pragma once

#include <sys/resource.h>

#include <csignal>
#include <stdexcept>

namespace contrastive {

class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    struct rlimit small = before_;
    small.rlim_cur = bytes;
    if (::setrlimit(RLIMIT_FSIZE, &small) != 0) throw std::runtime_error("no limit on files");
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  struct rlimit before_{};
  void (*handler_)(int);
};

}  // namespace contrastive
