#include "core/base/log.h"

#include <atomic>
#include <mutex>

#include "core/host/lock.h"

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

}  // namespace

void set_log_sink(LogSink call, LogLevel lowest) {
  const auto lock = host::lock_until_exit(sink().mutex);
  check(lock.owns_lock(), Status::kState, "the process exits: the log sink stays");
  lowest_level = call ? static_cast<int>(lowest) : kSilent;
  sink().call = std::move(call);
}

bool log_enabled(LogLevel level) noexcept {
  return static_cast<int>(level) >= lowest_level.load(std::memory_order_relaxed);
}

void log_message(LogLevel level, const std::string& message) noexcept {
  try {
    const auto lock = host::lock_until_exit(sink().mutex);
    if (lock.owns_lock() && sink().call && log_enabled(level)) sink().call(level, message);
  } catch (...) {  // a log message must never make a call fail
  }
}

}  // namespace contrastive
