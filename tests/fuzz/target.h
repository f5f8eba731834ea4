// What every fuzz target is made of: a name and a function from bytes. It reads the bytes as what
// they claim to be and ends the program through violated() where a promise of
// tests/HOSTILE_INPUTS.md is broken: a crash is not the only find. fuzz.cpp gives the bytes of
// libFuzzer to one target, replay.cpp those of the corpus in the tree to all of them.
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

// All targets, in the order of their names.
const std::vector<Target>& targets();

struct Register {
  Register(const char* name, Function run);
};

// FUZZ_TARGET(npy) { ... `bytes` ... }
#define FUZZ_TARGET(name)                                                      \
  static void fuzz_##name(std::string_view bytes);                             \
  static const ::contrastive::fuzz::Register kFuzz_##name(#name, fuzz_##name); \
  static void fuzz_##name(std::string_view bytes)

// A promise is broken: says which one, and aborts.
[[noreturn]] void violated(const std::string& what);

inline void expect(bool ok, const std::string& what) {
  if (!ok) violated(what);
}

// What a malformed file or text may be answered.
inline constexpr Status kOfFiles[] = {Status::kFormat, Status::kUnsupported, Status::kLimit,
                                      Status::kMismatch, Status::kCorrupt};

// Runs `read`: true where it returns, false where it throws an Error of kOfFiles or of `further`.
// Everything else that is thrown is a find.
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

// What a call of the C API answered, where files, texts or configs alone can be to blame:
// everything else is a find, and so is a message that comes from the JSON reader itself, which
// knows neither file nor key. Frees the error.
int32_t settle(cs_error*& error);

// The pieces of `bytes` between lines "%%", as many as `count`: the last one has the rest, missing
// ones are empty.
std::vector<std::string> pieces(std::string_view bytes, size_t count);

// Numbers off the front of `bytes`; zeros when they have run out.
class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : bytes_(bytes) {}
  bool more() const { return !bytes_.empty(); }
  uint8_t byte();
  int64_t below(int64_t end) { return byte() % end; }
  std::string_view text();  // its length is the byte in front
  std::string_view rest() const { return bytes_; }

 private:
  std::string_view bytes_;
};

// A folder in memory, one for the process, empty at each call; gone when the process ends.
class MemoryFolder {
 public:
  MemoryFolder();
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  // Makes the folders above it as well.
  std::string write(const std::string& name, std::string_view bytes) const;

 private:
  std::string path_;
};

std::string fixture(const std::string& name);  // the bytes of tests/fixtures/NAME

}  // namespace contrastive::fuzz
