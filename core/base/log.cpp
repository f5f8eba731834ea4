#include "core/base/log.h"

#include <atomic>
#include <chrono>
#include <mutex>

#include "core/host/exit.h"

namespace contrastive {
namespace {

constexpr int kSilent = 100;
std::atomic<int> lowest_level{kSilent};

struct Sink {
  std::timed_mutex mutex;
  LogSink call;
};
Sink& sink() {
  static Sink* const instance =
      new Sink;  // never destroyed: threads may log while the process exits
  return *instance;
}

// While the process exits, a sink may never return. So no sink is called or waited for then, and
// the lock is not taken. ThreadSanitizer of GCC 12 does not recognise a lock with a timeout on the
// steady clock, so it gets the system clock.
#ifdef __SANITIZE_THREAD__
using Clock = std::chrono::system_clock;
#else
using Clock = std::chrono::steady_clock;
#endif
std::unique_lock<std::timed_mutex> wait_for_sink() {
  std::unique_lock<std::timed_mutex> lock(sink().mutex, std::defer_lock);
  while (!host::exit_began() &&
         !lock.try_lock_until(Clock::now() + std::chrono::milliseconds(20))) {
  }
  return lock;
}

}  // namespace

void set_log_sink(LogSink call, LogLevel lowest) {
  const auto lock = wait_for_sink();
  check(lock.owns_lock(), Status::kState, "the process exits: the log sink stays");
  lowest_level = call ? static_cast<int>(lowest) : kSilent;
  sink().call = std::move(call);
}

bool log_enabled(LogLevel level) noexcept {
  return static_cast<int>(level) >= lowest_level.load(std::memory_order_relaxed);
}

void log_message(LogLevel level, const std::string& message) noexcept {
  try {
    const auto lock = wait_for_sink();
    if (lock.owns_lock() && sink().call && log_enabled(level)) sink().call(level, message);
  } catch (...) {  // a log message must never make a call fail
  }
}

}  // namespace contrastive
