#include "capi/src/guard.h"

#include <c10/util/Exception.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>
#include <system_error>
#include <typeinfo>

namespace contrastive::capi {
namespace {

// LibTorch's CPU allocator reports exhaustion as a plain c10::Error; only its text tells.
bool is_allocation_failure(const std::string& text) {
  return text.find("DefaultCPUAllocator: can't allocate memory") != std::string::npos ||
         text.find("DefaultCPUAllocator: not enough memory") != std::string::npos || text.find("CUDA out of memory") != std::string::npos;
}

// oneDNN's errors have no type that a caller can name; those of making something mean that there was no memory for it, for LibTorch asks oneDNN only for
// what it knows to be there.
bool is_allocation_failure(const std::exception& e) {
  return std::strstr(typeid(e).name(), "dnnl") != nullptr && std::strncmp(e.what(), "could not create", 16) == 0;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Status describe(std::string& message) {
  try {
    throw;
  } catch (const Error& e) {
    message = e.message();
    return e.status();
  } catch (const std::bad_alloc&) {
    message = "out of memory: free some, or lower batch_tokens or batch_size";
    return Status::kNoMemory;
  } catch (const c10::OutOfMemoryError& e) {
    message = "out of device memory: " + first_line(e.what_without_backtrace());
    return Status::kNoMemory;
  } catch (const c10::Error& e) {
    const std::string text = e.what_without_backtrace();
    if (is_allocation_failure(text)) {
      message = "out of memory: " + first_line(text);
      return Status::kNoMemory;
    }
    message = "LibTorch: " + text;
    return Status::kInternal;
  } catch (const std::system_error& e) {
    // What the system or the standard library says when there is no memory for a thread, a lock or the name of a file.
    if (e.code() == std::errc::not_enough_memory || e.code() == std::errc::resource_unavailable_try_again) {
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
    if (is_allocation_failure(e)) {
      message = cat("out of memory: ", e.what());
      return Status::kNoMemory;
    }
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
  } catch (...) {  // composing the message ran out of memory
    message.clear();
    return Status::kNoMemory;
  }
}

bool& inside_log_sink() noexcept {
  thread_local bool inside = false;
  return inside;
}

void refuse_reentry() { check(!inside_log_sink(), Status::kBusy, "the library was called from inside a log sink"); }

char* copy_string(const std::string& text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

}  // namespace contrastive::capi
