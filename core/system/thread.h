// Threads of the library, and what a thread of the host has while it is inside the library.
#pragma once

#include <cstddef>
#include <cstdint>

namespace contrastive::system {

constexpr size_t kLeastStack = size_t{1} << 20;  // bytes, of an own thread

enum class ThreadEnd { kJoined, kDetached };

struct Thread {
  uintptr_t number = 0;  // pthread_t, or a HANDLE
};

// Starts a thread that runs body(argument), which must not throw. On POSIX it blocks all signals
// except its own faults, so that a host's signal handlers run on the host's threads, and a run time
// that collects garbage can stop the caller meanwhile. Its stack is large enough for any limit
// (ulimit -s) the host was started with. Join `thread` if it is kJoined. False if the system grants
// no thread.
bool start_own_thread(void (*body)(void*), void* argument, ThreadEnd end, Thread& thread) noexcept;
void join(Thread thread) noexcept;

// Call this before the host's code (a log sink) runs. It does nothing on a thread of the host. In
// mono and .NET an own thread becomes a thread of the run time with that call: from then on the
// signals by which the run time stops its threads to collect garbage reach it.
void enter_host() noexcept;

// pthread_cancel() on a thread of the host that is inside the library. It would unwind the thread
// from wherever it waits, and end the process at our first function that throws nothing. While this
// object lives the request stays pending; it takes effect after the call. Windows has no such
// request.
class NoThreadCancel {
 public:
  NoThreadCancel() noexcept;
  ~NoThreadCancel();
  NoThreadCancel(const NoThreadCancel&) = delete;
  NoThreadCancel& operator=(const NoThreadCancel&) = delete;

 private:
  [[maybe_unused]] int before_ = 0;
};

// Calls `before` in a thread that calls fork(), then `in_parent` in the same thread and `in_child`
// in the child. Each may be null. True if the handlers are registered, or the system has no fork().
bool watch_forks(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept;

// Milliseconds since some moment, for pauses: fast, and exact to about 15 ms.
int64_t coarse_milliseconds() noexcept;

// Sleeps until the process ends.
[[noreturn]] void sleep_until_the_end() noexcept;

// Calls `handler` in exit(), in the thread that called it, before any static object that is older
// than this call is destroyed. On Windows never: the other threads have ended by then. True if it
// is registered.
bool call_at_exit(void (*handler)()) noexcept;

}  // namespace contrastive::system
