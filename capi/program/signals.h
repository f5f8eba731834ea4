// Ctrl-C and SIGTERM: the first one asks the verb to stop where nothing is lost, the second one
// stops at once.
//
// No signal handler does any work: one thread waits for the signals, which all other threads have
// blocked, and may therefore take locks.
#pragma once

#include <contrastive/contrastive.h>

#include <functional>
#include <string>

namespace contrastive::cli {

// To be called first thing in main, before any other thread exists.
void watch_signals();

// The flag that long calls of the library are given; raised by the first signal.
cs_cancel* cancel_flag();
bool stop_requested();
// What the first signal calls as well, on the thread that waits for signals; at once where it came
// already. An empty one: nothing any more.
void set_stop_hook(std::function<void()> hook);
// While this lives, the program only waits for input: nothing is lost by stopping at once, and
// nothing else would wake it up. Where a stop hook was set something else goes on meanwhile: the
// signal then calls the hook, and the next wait throws CANCELLED.
class InputWait {
 public:
  InputWait();
  ~InputWait();
  InputWait(const InputWait&) = delete;
  InputWait& operator=(const InputWait&) = delete;
};
// Whether an InputWait lives, on any thread.
bool input_is_awaited();
// 130 or 143, for the signal that came.
int stop_exit_code();

// A half-written file that must not stay behind when the second signal ends the process; "" when it
// is done.
void set_unfinished_file(const std::string& path);

}  // namespace contrastive::cli
