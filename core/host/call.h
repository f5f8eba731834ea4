// What holds while a thread of the host is inside the library, and while it is in the host's own
// code there (a log sink).
#pragma once

#include "core/host/exit.h"
#include "core/system/thread.h"

namespace contrastive::host {

// In every function of the C API: the thread cannot be cancelled, and exit() waits for it.
class Call {
 public:
  Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  system::NoThreadCancel no_cancel_;
  CountedCall counted_;
};

// Around a log sink: signals that stop threads for a garbage collector get through, and exit() does
// not wait.
class HostCode {
 public:
  HostCode() noexcept { system::enter_host(); }
  HostCode(const HostCode&) = delete;
  HostCode& operator=(const HostCode&) = delete;

 private:
  UncountedCode uncounted_;
};

}  // namespace contrastive::host
