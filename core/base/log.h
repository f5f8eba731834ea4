// Log messages for the host application. There is one sink for the process; without a sink nothing
// is printed.
#pragma once

#include <functional>
#include <string>

#include "core/base/error.h"

namespace contrastive {

enum class LogLevel : int32_t { kDebug = 0, kInfo = 1, kWarning = 2 };

using LogSink = std::function<void(LogLevel, const std::string&)>;

// Replaces the sink (an empty one silences the log) and the lowest level that it receives. May be
// called from any thread. The library calls the sink from any thread, but never from two at once.
void set_log_sink(LogSink sink, LogLevel lowest);
bool log_enabled(LogLevel level) noexcept;
void log_message(LogLevel level, const std::string& message) noexcept;

template <class... Parts>
void log_info(const Parts&... parts) {
  if (log_enabled(LogLevel::kInfo)) log_message(LogLevel::kInfo, cat(parts...));
}
template <class... Parts>
void log_warning(const Parts&... parts) {
  if (log_enabled(LogLevel::kWarning)) log_message(LogLevel::kWarning, cat(parts...));
}

}  // namespace contrastive
