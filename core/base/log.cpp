#include "core/base/log.h"

#include <atomic>
#include <mutex>

namespace contrastive {
namespace {

constexpr int kSilent = 100;
std::atomic<int> lowest_level{kSilent};

struct Sink {
  std::mutex mutex;
  LogSink call;
};
Sink& sink() {
  static Sink* const instance = new Sink;  // never destroyed: threads may log while the process exits
  return *instance;
}

}  // namespace

void set_log_sink(LogSink call, LogLevel lowest) {
  const std::lock_guard<std::mutex> lock(sink().mutex);
  lowest_level = call ? static_cast<int>(lowest) : kSilent;
  sink().call = std::move(call);
}

bool log_enabled(LogLevel level) noexcept { return static_cast<int>(level) >= lowest_level.load(std::memory_order_relaxed); }

void log_message(LogLevel level, const std::string& message) noexcept {
  try {
    const std::lock_guard<std::mutex> lock(sink().mutex);
    if (sink().call && log_enabled(level)) sink().call(level, message);
  } catch (...) {  // a log line is never worth a failed call
  }
}

}  // namespace contrastive
