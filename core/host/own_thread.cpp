#include "core/host/own_thread.h"

#include <signal.h>

#include <initializer_list>
#include <memory>
#include <new>

namespace contrastive::host {
namespace {

struct Start {
  void* (*body)(void*);
  void* argument;
};

// If a fault is blocked the system ends the process, and neither a run time that turns it into an
// exception (Java, .NET) nor a crash reporter is asked.
sigset_t all_but_faults() {
  sigset_t signals;
  ::sigfillset(&signals);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS})
    ::sigdelset(&signals, fault);
  return signals;
}

// Calls body(signal) for each signal by which mono, .NET and Boehm's collector stop threads.
template <class Body>
void for_each_stop(Body body) {
  for (const int signal : {SIGPWR, SIGXCPU}) body(signal);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) body(signal);
}

// A new thread inherits its creator's mask, so the creator blocks signals meanwhile, except those
// that stop threads. Creating a thread waits for a lock of the C library. If another thread is
// stopped while it takes that lock, and the creator cannot be stopped, all wait for ever.
sigset_t blocked_meanwhile() {
  sigset_t signals = all_but_faults();
  for_each_stop([&](int signal) { ::sigdelset(&signals, signal); });
  return signals;
}

thread_local bool is_own = false;

void* begin(void* given) {
  is_own = true;
  const sigset_t blocked = all_but_faults();
  ::pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  const std::unique_ptr<Start> owned(static_cast<Start*>(given));
  const Start start = *owned;
  return start.body(start.argument);
}

}  // namespace

bool start_own_thread(void* (*body)(void*), void* argument, ThreadEnd end,
                      pthread_t& thread) noexcept {
  std::unique_ptr<Start> given(new (std::nothrow) Start{body, argument});
  pthread_attr_t attributes;
  if (given == nullptr || ::pthread_attr_init(&attributes) != 0) return false;
  size_t stack = 0;
  const bool small = ::pthread_attr_getstacksize(&attributes, &stack) != 0 || stack < kLeastStack;
  bool started = !small || ::pthread_attr_setstacksize(&attributes, kLeastStack) == 0;
  if (end == ThreadEnd::kDetached)
    started = started && ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0;
  const sigset_t blocked = blocked_meanwhile();
  sigset_t before;
  if (started && ::pthread_sigmask(SIG_BLOCK, &blocked, &before) == 0) {
    started = ::pthread_create(&thread, &attributes, begin, given.get()) == 0;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  } else {
    started = false;
  }
  if (started) (void)given.release();  // begin() owns it
  ::pthread_attr_destroy(&attributes);
  return started;
}

void enter_host() noexcept {
  if (!is_own) return;
  sigset_t signals;
  ::sigemptyset(&signals);
  for_each_stop([&](int signal) { ::sigaddset(&signals, signal); });
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

}  // namespace contrastive::host
