// The library's only error type, and the status codes. The C API repeats the codes with the same
// values (contrastive.h).
//
// Throw `Error` for what a caller, a file or the machine caused. The message says what is wrong,
// where (file, key, line, tensor), and what to do. A bug of the library is a failed assertion or
// kInternal.
#pragma once

#include <cstdint>
#include <exception>
#include <sstream>
#include <string>
#include <utility>

namespace contrastive {

// 0 is success, positive values are variants of success, negative values are errors. The values are
// part of the ABI: append, never renumber.
enum class Status : int32_t {
  kOk = 0,
  kDone = 1,       // a trainer has no step left
  kArgument = -1,  // an argument or a config value is not allowed
  kHandle = -2,    // a handle is stale, foreign or of another type
  kState = -3,     // the object cannot do this now (not prepared, or poisoned by an earlier error)
  kBusy = -4,      // another thread or process uses the object
  kBuffer = -5,    // the caller's buffer is too small; nothing was written
  kNotFound = -6,  // a file, tensor or key is not there
  kIo = -7,        // the operating system refused a read or write
  kNoSpace = -8,   // the disk or quota is full
  kFormat = -9,    // a file or text is malformed
  kUnsupported = -10,  // well-formed, but of a kind this library does not know
  kLimit = -11,        // larger than a documented limit
  kMismatch = -12,     // two things that must agree do not (shapes, resumed configuration)
  kCorrupt = -13,      // a checksum or length does not match what was written
  kNoMemory = -14,     // host or device memory exhausted; the object stays usable
  kDevice = -15,       // no such device, or its driver or library cannot be used
  kNumeric = -16,      // NaN or infinity where a number is needed
  kCancelled = -17,    // a cancel flag was raised, or the process exits
  kDistributed = -18,  // another rank of the run failed, or did not come in time
  kInternal = -99,     // a bug of this library
};

class Error : public std::exception {
 public:
  Error(Status status, std::string message) : status_(status), message_(std::move(message)) {}
  Status status() const noexcept { return status_; }
  const char* what() const noexcept override { return message_.c_str(); }
  const std::string& message() const noexcept { return message_; }

 private:
  Status status_;
  std::string message_;
};

// Concatenates anything that can be streamed, in the classic locale, so that the host's decimal
// comma never reaches a message or a file. The stream is told to throw, because by default it hides
// a failed allocation and the text would be cut off.
template <class... Parts>
std::string cat(const Parts&... parts) {
  std::ostringstream out;
  out.exceptions(std::ios::badbit);
  out.imbue(std::locale::classic());
  (out << ... << parts);
  return out.str();
}

template <class... Parts>
[[noreturn]] void fail(Status status, const Parts&... parts) {
  throw Error(status, cat(parts...));
}

// `check(ok, Status::kArgument, "batch_size is ", n, ": at least 2 are needed")`. The arguments are
// evaluated even if `ok` is true: keep them cheap.
template <class... Parts>
void check(bool ok, Status status, const Parts&... parts) {
  if (!ok) fail(status, parts...);
}

}  // namespace contrastive
