// A write beyond the host's limit on the size of files (RLIMIT_FSIZE) sends SIGXFSZ, which ends a
// process that has no handler for it. While this object lives the calling thread gets EFBIG alone,
// and the host's handler, if it has one, is not called for it.
#pragma once

#include <signal.h>
#include <time.h>

namespace contrastive {

class NoFileSizeSignal {
 public:
  NoFileSizeSignal() noexcept {
    sigset_t pending;
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    was_pending_ = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
  }
  ~NoFileSizeSignal() {
    // One that came meanwhile is of our own write: it is taken before the host could see it.
    const timespec at_once{};
    if (!was_pending_) static_cast<void>(::sigtimedwait(&signal_, nullptr, &at_once));
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoFileSizeSignal(const NoFileSizeSignal&) = delete;
  NoFileSizeSignal& operator=(const NoFileSizeSignal&) = delete;

 private:
  sigset_t signal_{}, before_{};
  bool was_pending_ = false;
};

}  // namespace contrastive
