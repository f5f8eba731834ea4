// A fuzz target: a name and a function that takes bytes. The function reads the bytes as a file or
// a call, and ends the program through violated() if a promise of tests/HOSTILE_INPUTS.md is
// broken, so that not only crashes are findings. fuzz.cpp passes libFuzzer's bytes to one target,
// replay.cpp the files of the corpus to all targets.
#pragma once

#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

struct cs_error;

namespace contrastive::fuzz {

using Function = void (*)(std::string_view bytes);

struct Target {
  const char* name;
  Function run;
};

// All targets, sorted by name.
const std::vector<Target>& targets();

struct Register {
  Register(const char* name, Function run);
};

// FUZZ_TARGET(npy) { ... `bytes` ... }
#define FUZZ_TARGET(name)                                                      \
  static void fuzz_##name(std::string_view bytes);                             \
  static const ::contrastive::fuzz::Register kFuzz_##name(#name, fuzz_##name); \
  static void fuzz_##name(std::string_view bytes)

// Reports which promise is broken, and aborts.
[[noreturn]] void violated(const std::string& what);

inline void expect(bool ok, const std::string& what) {
  if (!ok) violated(what);
}

// The errors that a malformed file or text may give.
inline constexpr Status kOfFiles[] = {Status::kFormat, Status::kUnsupported, Status::kLimit,
                                      Status::kMismatch, Status::kCorrupt};

// Runs `read`. True if it returns, false if it throws an Error of kOfFiles or of `further`. Any
// other exception is a finding.
template <class Read>
bool accepted(Read&& read, std::initializer_list<Status> further = {}) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    bool known = !error.message().empty();
    bool listed = false;
    for (const Status status : kOfFiles) listed = listed || status == error.status();
    for (const Status status : further) listed = listed || status == error.status();
    if (!known || !listed)
      violated(cat("status ", static_cast<int32_t>(error.status()), " with the message '",
                   error.message(), "'"));
    return false;
  } catch (const std::exception& problem) {
    violated(std::string("not an Error: ") + problem.what());
  }
}

// Checks the error of a call of the C API that can only fail because of files, texts or configs.
// Any other status is a finding, and so is a message from the JSON reader itself, which names
// neither file nor key. Frees the error.
int32_t settle(cs_error*& error);

// Splits `bytes` at lines "%%" into `count` pieces. The last one has the rest; missing ones are
// empty.
std::vector<std::string> pieces(std::string_view bytes, size_t count);

// Takes numbers from the front of `bytes`; zeros after the end.
class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : bytes_(bytes) {}
  bool more() const { return !bytes_.empty(); }
  uint8_t byte();
  int64_t below(int64_t end) { return byte() % end; }
  std::string_view text();  // its length is in the byte before it
  std::string_view rest() const { return bytes_; }

 private:
  std::string_view bytes_;
};

// A folder in memory, one per process, emptied at each call and removed at the end of the process.
class MemoryFolder {
 public:
  MemoryFolder();
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  // Also creates its parent folders.
  std::string write(const std::string& name, std::string_view bytes) const;

 private:
  std::string path_;
};

std::string fixture(const std::string& name);  // the bytes of tests/fixtures/NAME

}  // namespace contrastive::fuzz
