// Runs a piece of work in a process of its own, stopped at each of its system calls: to be killed
// there, or to be told that the call has failed. The process must have one thread. Linux on x86-64.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace contrastive::faults {

enum class Fault { kNone, kKill, kIo, kNoSpace, kQuota, kInterrupted, kShort };
const char* name_of(Fault fault);

// One system call that has to do with files, as it was made.
struct Call {
  std::string name;     // "openat", "fsync", "rename"
  std::string path;     // of its first argument, by name or by descriptor; "" where it has none
  std::string other;    // of a second name (rename)
  bool writes = false;  // openat: for writing
};

struct Traced {
  int64_t calls = 0;     // that were counted: every one with kKill, those on files that may fail in
                         // this way otherwise
  bool reached = false;  // the fault was put in
  std::string at;        // the call that it was put into
  int status = 0;        // of the process, as of waitpid()
  std::vector<Call> log;  // with Fault::kNone
};

// `fault` at the `nth` call that counts, from 1. Counting begins where `work` begins.
Traced trace(Fault fault, int64_t nth, const std::function<int()>& work);

}  // namespace contrastive::faults
