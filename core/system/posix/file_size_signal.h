// A write beyond the host's limit on the size of files (RLIMIT_FSIZE) sends SIGXFSZ, which ends a
// process that has no handler for it. While this object lives, the calling thread only gets EFBIG,
// and a handler of the host is not called.
#pragma once

#include <signal.h>

namespace contrastive::system {

class NoFileSizeSignal {
 public:
  NoFileSizeSignal() noexcept {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    was_pending_ = is_pending();
  }
  ~NoFileSizeSignal() {
    // A signal that came meanwhile is of our own write. Take it before the host can see it.
    int taken = 0;
    if (!was_pending_ && is_pending()) static_cast<void>(::sigwait(&signal_, &taken));
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoFileSizeSignal(const NoFileSizeSignal&) = delete;
  NoFileSizeSignal& operator=(const NoFileSizeSignal&) = delete;

 private:
  static bool is_pending() noexcept {
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
  }

  sigset_t signal_{}, before_{};
  bool was_pending_ = false;
};

}  // namespace contrastive::system
