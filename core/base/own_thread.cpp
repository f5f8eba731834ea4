#include "core/base/own_thread.h"

#include <signal.h>

#include <initializer_list>

namespace contrastive {

bool start_own_thread(void* (*body)(void*), void* argument, ThreadEnd end, pthread_t& thread) noexcept {
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return false;
  size_t stack = 0;
  const bool small = ::pthread_attr_getstacksize(&attributes, &stack) != 0 || stack < kLeastStack;
  bool started = !small || ::pthread_attr_setstacksize(&attributes, kLeastStack) == 0;
  if (end == ThreadEnd::kDetached) started = started && ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0;
  // A new thread has its creator's mask. What comes for the creator meanwhile waits. A fault cannot wait: where it is blocked the system ends the
  // process, and a host's run time (Java's, .NET's) that makes an exception of it, or a crash reporter, would not be asked.
  sigset_t blocked, before;
  ::sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) ::sigdelset(&blocked, fault);
  if (started && ::pthread_sigmask(SIG_SETMASK, &blocked, &before) == 0) {
    started = ::pthread_create(&thread, &attributes, body, argument) == 0;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  } else {
    started = false;
  }
  ::pthread_attr_destroy(&attributes);
  return started;
}

}  // namespace contrastive
