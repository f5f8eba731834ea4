// cs_set_log_sink: passes the library's log messages to the host's sink.
#include "core/base/log.h"

#include "capi/src/guard.h"
#include "core/host/call.h"

using namespace contrastive;
using namespace contrastive::capi;

namespace {

static_assert(CS_LOG_DEBUG == static_cast<int32_t>(LogLevel::kDebug) &&
                  CS_LOG_INFO == static_cast<int32_t>(LogLevel::kInfo) &&
                  CS_LOG_WARNING == static_cast<int32_t>(LogLevel::kWarning),
              "the C constants and core/base/log.h are the same list");

}  // namespace

cs_status cs_set_log_sink(cs_log_function sink, int32_t lowest, void* user, cs_error** error) {
  return guard(error, [&] {
    check(lowest >= CS_LOG_DEBUG && lowest <= CS_LOG_WARNING, Status::kArgument, "lowest is ",
          lowest, ": CS_LOG_DEBUG, _INFO or _WARNING is needed");
    LogSink call;
    if (sink != nullptr) {
      call = [sink, user](LogLevel level, const std::string& message) {
        const InsideCallback inside(Callback::kLogSink);
        const host::HostCode here;
        sink(static_cast<int32_t>(level), message.c_str(), user);
      };
    }
    set_log_sink(std::move(call), static_cast<LogLevel>(lowest));
  });
}
