#include "capi/src/guard.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/host/exit.h"
#include "core/runtime/torch_plugin.h"

namespace contrastive::capi {
namespace {

thread_local Callback callback = Callback::kNone;  // that this thread is inside

Status describe(std::string& message) {
  try {
    throw;
  } catch (const Error& e) {
    message = e.message();
    return e.status();
  } catch (const std::bad_alloc&) {
    message = "out of memory: free some, or lower batch_tokens or batch_size";
    return Status::kNoMemory;
  } catch (const std::system_error& e) {
    // The codes that the system or the standard library reports if there is no memory for a thread,
    // a lock or a file name.
    if (e.code() == std::errc::not_enough_memory ||
        e.code() == std::errc::resource_unavailable_try_again) {
      message = "out of memory or threads: free some";
      return Status::kNoMemory;
    }
    message = cat("internal error: ", e.what());
    return Status::kInternal;
  } catch (const nlohmann::json::exception& e) {
    message = cat("JSON: ", e.what());
    return Status::kFormat;
  } catch (const std::length_error& e) {
    message = cat("a size is beyond what a container holds: ", e.what());
    return Status::kLimit;
  } catch (const std::exception& e) {
    // Only the training plugin knows LibTorch's exception types.
    const runtime::TorchPlugin* const plugin = runtime::loaded_torch_plugin();
    const Status status = plugin != nullptr ? plugin->describe_exception(e, message) : Status::kOk;
    if (status != Status::kOk) return status;
    message = cat("internal error: ", e.what());
    return Status::kInternal;
  } catch (...) {
    message = "internal error: an exception of unknown type";
    return Status::kInternal;
  }
}

}  // namespace

Status describe_exception(std::string& message) noexcept {
  try {
    return describe(message);
  } catch (...) {  // out of memory while composing the message
    message.clear();
    return Status::kNoMemory;
  }
}

InsideCallback::InsideCallback(Callback which) noexcept : before_(std::exchange(callback, which)) {}

InsideCallback::~InsideCallback() { callback = before_; }

void refuse_reentry() {
  check(callback == Callback::kNone, Status::kBusy, "the library was called from inside a ",
        callback == Callback::kLogSink ? "log sink" : "progress function");
}

void refuse_at_exit() {
  check(!host::exit_began(), Status::kCancelled,
        "the process exits: the library takes no more calls");
}

char* copy_string(const std::string& text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

}  // namespace contrastive::capi
