// cs_error: the status and message of one failed call.
#include <new>

#include "capi/src/guard.h"
#include "capi/src/objects.h"

// The C constants and core/base/error.h are the same list.
using contrastive::Status;
#define SAME(c_name, cpp_name) \
  static_assert((c_name) == static_cast<int32_t>(Status::cpp_name), #c_name)
SAME(CS_OK, kOk);
SAME(CS_DONE, kDone);
SAME(CS_ERROR_ARGUMENT, kArgument);
SAME(CS_ERROR_HANDLE, kHandle);
SAME(CS_ERROR_STATE, kState);
SAME(CS_ERROR_BUSY, kBusy);
SAME(CS_ERROR_BUFFER, kBuffer);
SAME(CS_ERROR_NOT_FOUND, kNotFound);
SAME(CS_ERROR_IO, kIo);
SAME(CS_ERROR_NO_SPACE, kNoSpace);
SAME(CS_ERROR_FORMAT, kFormat);
SAME(CS_ERROR_UNSUPPORTED, kUnsupported);
SAME(CS_ERROR_LIMIT, kLimit);
SAME(CS_ERROR_MISMATCH, kMismatch);
SAME(CS_ERROR_CORRUPT, kCorrupt);
SAME(CS_ERROR_NO_MEMORY, kNoMemory);
SAME(CS_ERROR_DEVICE, kDevice);
SAME(CS_ERROR_NUMERIC, kNumeric);
SAME(CS_ERROR_CANCELLED, kCancelled);
SAME(CS_ERROR_DISTRIBUTED, kDistributed);
SAME(CS_ERROR_INTERNAL, kInternal);
#undef SAME

namespace contrastive::capi {
namespace {

// The error handle to return if there is no memory for a real one. It is an address, not a packed
// handle, so it is only compared and never looked up.
char out_of_memory_mark = 0;
cs_error* out_of_memory_error() { return reinterpret_cast<cs_error*>(&out_of_memory_mark); }
constexpr const char* kOutOfMemory =
    "out of memory: free some, or lower batch_tokens or batch_size";

}  // namespace

void set_error(cs_error** error, Status status, const std::string& message) noexcept {
  if (error == nullptr) return;
  try {
    *error = make_handle<cs_error>(std::make_shared<ErrorObject>(
        ErrorObject{status, message.empty() ? kOutOfMemory : message}));
  } catch (...) {
    *error = out_of_memory_error();
  }
}

}  // namespace contrastive::capi

using namespace contrastive::capi;

cs_status cs_error_status(const cs_error* error) {
  if (error == out_of_memory_error()) return CS_ERROR_NO_MEMORY;
  const auto object = find(error);
  return object == nullptr ? CS_ERROR_HANDLE : static_cast<cs_status>(object->status);
}

const char* cs_error_message(const cs_error* error) {
  if (error == out_of_memory_error()) return kOutOfMemory;
  const auto object = find(error);
  return object == nullptr ? "not a live error: it was freed, or is not an error"
                           : object->message.c_str();
}

void cs_error_free(cs_error* error) {
  if (error != out_of_memory_error()) release(error);
}

const char* cs_status_name(cs_status status) {
  switch (static_cast<Status>(status)) {
    case Status::kOk: return "OK";
    case Status::kDone: return "DONE";
    case Status::kArgument: return "ARGUMENT";
    case Status::kHandle: return "HANDLE";
    case Status::kState: return "STATE";
    case Status::kBusy: return "BUSY";
    case Status::kBuffer: return "BUFFER";
    case Status::kNotFound: return "NOT_FOUND";
    case Status::kIo: return "IO";
    case Status::kNoSpace: return "NO_SPACE";
    case Status::kFormat: return "FORMAT";
    case Status::kUnsupported: return "UNSUPPORTED";
    case Status::kLimit: return "LIMIT";
    case Status::kMismatch: return "MISMATCH";
    case Status::kCorrupt: return "CORRUPT";
    case Status::kNoMemory: return "NO_MEMORY";
    case Status::kDevice: return "DEVICE";
    case Status::kNumeric: return "NUMERIC";
    case Status::kCancelled: return "CANCELLED";
    case Status::kDistributed: return "DISTRIBUTED";
    case Status::kInternal: return "INTERNAL";
  }
  return "UNKNOWN";
}
