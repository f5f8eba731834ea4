#include "core/system/thread.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <initializer_list>
#include <memory>
#include <new>

#include "core/system/posix/stop_signals.h"

namespace contrastive::system {
namespace {

struct Start {
  void (*body)(void*);
  void* argument;
};

// If a fault is blocked the system ends the process, and neither a run time that turns it into an
// exception (Java, .NET) nor a crash reporter is asked.
sigset_t all_but_faults() {
  sigset_t signals;
  sigfillset(&signals);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS})
    sigdelset(&signals, fault);
  return signals;
}

// A new thread inherits its creator's mask, so the creator blocks signals meanwhile, except those
// that stop threads. Creating a thread waits for a lock of the C library. If another thread is
// stopped while it takes that lock, and the creator cannot be stopped, all wait for ever.
sigset_t blocked_meanwhile() {
  sigset_t signals = all_but_faults();
  for_each_stop_signal([&](int signal) { sigdelset(&signals, signal); });
  return signals;
}

thread_local bool is_own = false;

void* begin(void* given) {
  is_own = true;
  const sigset_t blocked = all_but_faults();
  ::pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  const std::unique_ptr<Start> owned(static_cast<Start*>(given));
  const Start start = *owned;
  start.body(start.argument);
  return nullptr;
}

// pthread_t is a number on Linux and a pointer on macOS.
uintptr_t number_of(pthread_t thread) { return (uintptr_t)thread; }    // NOLINT
pthread_t thread_of(uintptr_t number) { return (pthread_t)(number); }  // NOLINT

}  // namespace

bool start_own_thread(void (*body)(void*), void* argument, ThreadEnd end, Thread& thread) noexcept {
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
    pthread_t created{};
    started = ::pthread_create(&created, &attributes, begin, given.get()) == 0;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    thread.number = number_of(created);
  } else {
    started = false;
  }
  if (started) (void)given.release();  // begin() owns it
  ::pthread_attr_destroy(&attributes);
  return started;
}

void join(Thread thread) noexcept { ::pthread_join(thread_of(thread.number), nullptr); }

void enter_host() noexcept {
  if (!is_own) return;
  sigset_t signals;
  sigemptyset(&signals);
  for_each_stop_signal([&](int signal) { sigaddset(&signals, signal); });
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

NoThreadCancel::NoThreadCancel() noexcept {
  ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_);
}

NoThreadCancel::~NoThreadCancel() { ::pthread_setcancelstate(before_, nullptr); }

bool watch_forks(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept {
  return ::pthread_atfork(before, in_parent, in_child) == 0;
}

void sleep_until_the_end() noexcept {
  for (;;) ::pause();
}

}  // namespace contrastive::system
