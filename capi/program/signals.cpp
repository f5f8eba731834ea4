#include "capi/program/signals.h"

#include <csignal>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "capi/program/failure.h"

namespace contrastive::cli {
namespace {

std::atomic<int> first_signal{0};
std::atomic<bool> waiting{false};
// A stop hook was set: other work is running, and must not be lost.
std::atomic<bool> hooked{false};
std::mutex unfinished_mutex;
std::string unfinished_file;
std::mutex hook_mutex;
std::function<void()> stop_hook;

// The signals to wait for. Signals that the parent ignores (nohup, a background job) stay ignored.
sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction action{};
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
      sigaddset(&set, number);
  }
  return set;
}

[[noreturn]] void stop_now(int number) {
  const std::lock_guard<std::mutex> lock(unfinished_mutex);
  if (!unfinished_file.empty()) unlink(unfinished_file.c_str());
  _exit(128 + number);
}

void wait_for_signals(sigset_t set) {
  for (;;) {
    int number = 0;
    if (sigwait(&set, &number) != 0) return;
    int none = 0;
    if (!first_signal.compare_exchange_strong(none, number) || (waiting && !hooked))
      stop_now(number);
    cs_cancel_trigger(cancel_flag());
    static const char kText[] = "\ncontrastive: stopping; press Ctrl-C again to stop at once\n";
    if (write(STDERR_FILENO, kText, sizeof kText - 1) < 0) {
    }  // an error cannot be reported anywhere
    const std::lock_guard<std::mutex> lock(hook_mutex);
    if (stop_hook) stop_hook();
  }
}

}  // namespace

void watch_signals() {
  // Writes then fail with EPIPE, or with EFBIG beyond the file size limit, and the program removes
  // its temporary files.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  const sigset_t set = watched_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  cancel_flag();
  std::thread(wait_for_signals, set).detach();
}

cs_cancel* cancel_flag() {
  static cs_cancel* const flag = cs_cancel_new(nullptr);  // never freed
  return flag;
}

InputWait::InputWait() {
  if (hooked && first_signal != 0)
    throw Failure(kExitFailure, cs_status_name(CS_ERROR_CANCELLED), "stopped");
  waiting = true;
  if (!hooked && first_signal != 0) stop_now(first_signal);  // the signal came before the wait
}
InputWait::~InputWait() { waiting = false; }

bool input_is_awaited() { return waiting; }

void set_stop_hook(std::function<void()> hook) {
  const std::lock_guard<std::mutex> lock(hook_mutex);
  hooked = hooked || hook;
  stop_hook = std::move(hook);
  if (stop_hook && first_signal != 0) stop_hook();
}

bool stop_requested() { return first_signal != 0; }

void stop_if_asked() {
  if (stop_requested())
    throw Failure(kExitFailure, cs_status_name(CS_ERROR_CANCELLED), "stopped before the end");
}

int stop_exit_code() { return 128 + first_signal; }

void set_unfinished_file(const std::string& path) {
  const std::lock_guard<std::mutex> lock(unfinished_mutex);
  unfinished_file = path;
}

}  // namespace contrastive::cli
