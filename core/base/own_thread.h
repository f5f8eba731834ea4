// Threads of the library's own. They take no signal but their own faults: a host's handlers run on
// the host's threads. Their stacks are large enough whatever limit (ulimit -s) the host was started
// with.
#pragma once

#include <pthread.h>

#include <cstddef>

namespace contrastive {

constexpr size_t kLeastStack = size_t{1} << 20;  // bytes, of a thread of the library's own

enum class ThreadEnd { kJoined, kDetached };

// Starts a thread that runs body(argument), which must not throw. The caller can be stopped
// meanwhile by a run time that collects garbage. Whoever starts a kJoined one joins `thread`. False
// where the system grants no thread.
bool start_own_thread(void* (*body)(void*), void* argument, ThreadEnd end,
                      pthread_t& thread) noexcept;

// To be called before the host's code (a log sink) runs. It does nothing on the host's own threads.
// A thread of the library's becomes one of the run time's with that call (mono, .NET): the signals
// by which the run time stops its threads to collect garbage reach it from then on.
void enter_host() noexcept;

}  // namespace contrastive
