// A write beyond the host's limit on the size of files (RLIMIT_FSIZE) sends SIGXFSZ, which ends a
// process that has no handler for it. While this object lives, the calling thread only gets EFBIG,
// and a handler of the host is not called.
#pragma once

#include <signal.h>
#include <time.h>

namespace contrastive::host {

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
    // A signal that came meanwhile is of our own write. Take it before the host can see it.
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

}  // namespace contrastive::host
