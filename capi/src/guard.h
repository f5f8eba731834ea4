// The boundary between C++ and C: turns exceptions into a status and a message. Every function of
// the C API that can fail runs its body in guard() (commands) or construct() (handles and strings).
// While the body runs, the floating-point environment is the library's, not the caller's.
#pragma once

#include <string>
#include <type_traits>

#include "capi/include/contrastive/contrastive.h"
#include "core/base/error.h"
#include "core/host/call.h"
#include "core/host/fp_environment.h"
#include "core/runtime/need_stack.h"

namespace contrastive::capi {

// Call this in a catch block. Returns the status and sets the message of the current exception. It
// tries these types in order: the library's own, out of memory, LibTorch's (without its backtrace),
// JSON, the standard library's, anything else.
Status describe_exception(std::string& message) noexcept;

// Stores a new error in `*error` if `error` is not NULL. Never throws: if there is no memory for an
// error, it stores a constant "out of memory" error.
void set_error(cs_error** error, Status status, const std::string& message) noexcept;

// The host's functions that the library calls back.
enum class Callback : int { kNone, kLogSink, kProgress };

// Marks this thread as inside a function of the host. The library holds a lock meanwhile, and a
// call that needs it would deadlock, so refuse_reentry() refuses calls.
class InsideCallback {
 public:
  explicit InsideCallback(Callback which) noexcept;
  ~InsideCallback();
  InsideCallback(const InsideCallback&) = delete;
  InsideCallback& operator=(const InsideCallback&) = delete;

 private:
  const Callback before_;
};

// kBusy if this thread is inside a function of the host.
void refuse_reentry();
// kCancelled after exit() has begun.
void refuse_at_exit();

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

// Runs a function that makes a handle or a string. Returns the result of `body`, or NULL.
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

// A copy of `text` that the caller frees with cs_string_free.
char* copy_string(const std::string& text);

// Checks a required pointer argument: kArgument with the parameter's name if it is NULL.
template <class T>
T* need_pointer(T* pointer, const char* parameter) {
  check(pointer != nullptr, Status::kArgument, parameter, " is NULL");
  return pointer;
}

}  // namespace contrastive::capi
