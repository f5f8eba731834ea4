// Starts the library's own threads. They block all signals except their own faults, so that a
// host's signal handlers run on the host's threads. Their stacks are large enough for any limit
// (ulimit -s) the host was started with.
#pragma once

#include <pthread.h>

#include <cstddef>

namespace contrastive::host {

constexpr size_t kLeastStack = size_t{1} << 20;  // bytes, of an own thread

enum class ThreadEnd { kJoined, kDetached };

// Starts a thread that runs body(argument), which must not throw. A run time that collects garbage
// can stop the caller meanwhile. Join `thread` if it is kJoined. False if the system grants no
// thread.
bool start_own_thread(void* (*body)(void*), void* argument, ThreadEnd end,
                      pthread_t& thread) noexcept;

// Call this before the host's code (a log sink) runs. It does nothing on a thread of the host. In
// mono and .NET an own thread becomes a thread of the run time with that call: from then on the
// signals by which the run time stops its threads to collect garbage reach it.
void enter_host() noexcept;

}  // namespace contrastive::host
