// The boundary between C++ and C: whatever is thrown inside stops here and becomes a status and a
// message. Every function of the C API that can fail runs its body in guard() (commands) or
// construct() (handles and strings); no other file catches. The floating-point unit is ours
// meanwhile.
#pragma once

#include <string>
#include <type_traits>

#include "capi/include/contrastive/contrastive.h"
#include "core/base/error.h"
#include "core/host/call.h"
#include "core/host/fp_environment.h"
#include "core/runtime/need_stack.h"

namespace contrastive::capi {

// To be called inside a catch block: the status and message of the exception in flight, in the
// order ours, out of memory, LibTorch's (without its backtrace), JSON, the standard library's,
// anything.
Status describe_exception(std::string& message) noexcept;

// Stores a new error in `*error` if the caller wants one. Never throws: when memory is short it is
// a constant "out of memory".
void set_error(cs_error** error, Status status, const std::string& message) noexcept;

// kBusy while this thread runs inside a log sink, whose lock a second message would wait for.
void refuse_reentry();
// kCancelled once the process exits.
void refuse_at_exit();
// True inside the caller's log sink, on this thread.
bool& inside_log_sink() noexcept;

inline cs_status report_exception(cs_error** error) noexcept {
  std::string message;
  const Status status = describe_exception(message);
  set_error(error, status, message);
  return static_cast<cs_status>(status);
}

// Runs a command. `body` returns void, or the Status of success.
template <class Body>
cs_status guard(cs_error** error, Body&& body) noexcept {
  const host::Call call;
  try {
    refuse_reentry();
    refuse_at_exit();
    runtime::need_stack(runtime::kStackOfCalls);
    const host::FpEnvironment shield;
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return CS_OK;
    } else {
      return static_cast<cs_status>(body());
    }
  } catch (...) {
    return report_exception(error);
  }
}

// Runs a constructor: what `body` returns, or NULL.
template <class Body>
auto construct(cs_error** error, Body&& body) noexcept -> decltype(body()) {
  const host::Call call;
  try {
    refuse_reentry();
    refuse_at_exit();
    runtime::need_stack(runtime::kStackOfCalls);
    const host::FpEnvironment shield;
    return body();
  } catch (...) {
    report_exception(error);
    return nullptr;
  }
}

// A copy of `text` for the caller to free with cs_string_free.
char* copy_string(const std::string& text);

// A pointer argument that must be given: kArgument with the parameter's name.
template <class T>
T* need_pointer(T* pointer, const char* parameter) {
  check(pointer != nullptr, Status::kArgument, parameter, " is NULL");
  return pointer;
}

}  // namespace contrastive::capi
