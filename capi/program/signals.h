// Handles Ctrl-C and SIGTERM. The first signal asks the verb to stop at a point where nothing is
// lost. The second one ends the process at once.
//
// There are no signal handlers. All threads block the signals, and one thread waits for them, so it
// may take locks.
#pragma once

#include <contrastive/contrastive.h>

#include <functional>
#include <string>

namespace contrastive::cli {

// Call this first in main, before any other thread exists.
void watch_signals();

// The cancel flag to pass to long calls of the library. The first signal sets it.
cs_cancel* cancel_flag();
bool stop_requested();
// Throws a Failure if stop_requested(). For loops that call nothing with a cancel flag.
void stop_if_asked();
// Sets a function that the first signal calls, on the thread that waits for signals. If a signal
// came already, it is called at once. An empty function removes the hook.
void set_stop_hook(std::function<void()> hook);
// Marks that the program only waits for input. Then the first signal ends the process at once:
// nothing is lost, and nothing else would end the wait. If a stop hook is set, other work is
// running: the signal calls the hook instead, and the next wait throws CANCELLED.
class InputWait {
 public:
  InputWait();
  ~InputWait();
  InputWait(const InputWait&) = delete;
  InputWait& operator=(const InputWait&) = delete;
};
// Whether any thread has an InputWait.
bool input_is_awaited();
// The exit code for the signal that came: 130 or 143.
int stop_exit_code();

// Sets the path of a half-written file, which the second signal removes before it ends the process.
// "" after the file is complete.
void set_unfinished_file(const std::string& path);

}  // namespace contrastive::cli
