// Runs some work in a separate process and stops it at each of its system calls, to kill it there
// or to make the call fail. The process must have one thread. Linux on x86-64 only.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace contrastive::faults {

enum class Fault { kNone, kKill, kIo, kNoSpace, kQuota, kInterrupted, kShort };
const char* name_of(Fault fault);

// One system call on files.
struct Call {
  std::string name;     // "openat", "fsync", "rename"
  std::string path;     // of its first argument, a name or a descriptor; "" if it has none
  std::string other;    // of a second name (rename)
  bool writes = false;  // openat: for writing
};

struct Traced {
  int64_t calls = 0;      // the calls that were counted: all with kKill, otherwise those that can
                          // fail in this way
  bool reached = false;   // whether the fault was injected
  std::string at;         // the call that it was injected into
  int status = 0;         // of the process, as of waitpid()
  std::vector<Call> log;  // with Fault::kNone
};

// Injects `fault` at the `nth` counted call, from 1. Counting begins with `work`.
Traced trace(Fault fault, int64_t nth, const std::function<int()>& work);

}  // namespace contrastive::faults
