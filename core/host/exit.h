// exit() while threads of the host are inside the library. exit() destroys LibTorch's static
// objects, and a thread that computes with LibTorch meanwhile crashes the process. So exit() first
// cancels the calls of other threads and waits for them, for kExitPatience at most. Then it
// continues, and threads that are still at work sleep until the process ends.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace contrastive::host {

constexpr std::chrono::seconds kExitPatience{5};

enum class ExitPhase : int {
  kNone,
  kWaiting,    // exit() waits for the calls of other threads
  kContinuing  // exit() has continued: static objects are gone, or go now
};
extern std::atomic<ExitPhase> exit_phase;

// Whether exit() has begun. It is not seen before watch_exit() was called.
inline bool exit_began() noexcept {
  return exit_phase.load(std::memory_order_relaxed) != ExitPhase::kNone;
}

// Returns in the thread that called exit(). Any other thread sleeps until the process ends, because
// what it computes with may be gone.
void sleep_if_exit_continues() noexcept;

// For long work, where it looks at its cancel flag: whether the work has to end because the process
// exits. Does not return once exit() has continued.
inline bool exit_ends_work() noexcept {
  if (!exit_began()) return false;
  sleep_if_exit_continues();
  return true;
}

// Call this after libraries were loaded, or static objects made, that exit() must not destroy under
// a call. From then on exit() waits as described above.
void watch_exit() noexcept;

// exit() destroys the newest static objects first, and LibTorch makes new ones when it computes
// something for the first time. These would go before the wait. This puts the wait before them
// again, if the last time was long enough ago: 10 ms at first, a minute at most. Called at the end
// of every call, every update and every parallel_for().
void renew_exit_watch() noexcept;

// A call of the host, for which exit() waits.
class CountedCall {
 public:
  CountedCall() noexcept;
  ~CountedCall();
  CountedCall(const CountedCall&) = delete;
  CountedCall& operator=(const CountedCall&) = delete;
};

// Code of the host inside a call (a log sink). exit() does not wait for its thread, because a run
// time may hold it there for ever: Java's virtual machine does when it exits. A thread of the host
// that comes back once exit() has begun sleeps until the process ends. A thread of the library
// continues, because its caller waits for it.
class UncountedCode {
 public:
  UncountedCode() noexcept;
  ~UncountedCode();
  UncountedCode(const UncountedCode&) = delete;
  UncountedCode& operator=(const UncountedCode&) = delete;

 private:
  int64_t calls_;
};

}  // namespace contrastive::host
