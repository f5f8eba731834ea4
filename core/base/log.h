// Messages to the host application: one process-wide sink, which is the only mutable global of the
// library. Without a sink nothing is printed.
#pragma once

#include <functional>
#include <string>

#include "core/base/error.h"

namespace contrastive {

enum class LogLevel : int32_t { kDebug = 0, kInfo = 1, kWarning = 2 };

using LogSink = std::function<void(LogLevel, const std::string&)>;

// Replaces the sink (empty: silence) and the lowest level it is given. Any thread; the sink itself
// may be called from any thread, one call at a time.
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
