#include "tests/faults/tracer.h"

#include <fcntl.h>
#include <linux/limits.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#if !defined(__x86_64__)
#error "the registers of another processor have other names"
#endif

namespace contrastive::faults {
namespace {

constexpr int kMark =
    4711;  // an invalid signal number, in the call that marks the begin of the work

struct Kind {
  long number;
  const char* name;
  bool by_name, at, moves_bytes, may_fill_disk, may_be_interrupted;
};
// The file calls that a disk can make fail.
const Kind kKinds[] = {{SYS_open, "open", true, false, false, true, true},
                       {SYS_openat, "openat", true, true, false, true, true},
                       {SYS_read, "read", false, false, true, false, true},
                       {SYS_pread64, "pread", false, false, true, false, true},
                       {SYS_write, "write", false, false, true, true, true},
                       {SYS_pwrite64, "pwrite", false, false, true, true, true},
                       {SYS_fsync, "fsync", false, false, false, true, true},
                       {SYS_fdatasync, "fdatasync", false, false, false, true, true},
                       {SYS_rename, "rename", true, false, false, true, false},
                       {SYS_renameat2, "renameat2", true, true, false, true, false},
                       {SYS_close, "close", false, false, false, true, true},
                       {SYS_ftruncate, "ftruncate", false, false, false, true, true},
                       {SYS_mkdir, "mkdir", true, false, false, true, false},
                       {SYS_unlink, "unlink", true, false, false, false, false},
                       {SYS_unlinkat, "unlinkat", true, true, false, false, false},
                       {SYS_rmdir, "rmdir", true, false, false, false, false},
                       {SYS_chmod, "chmod", true, false, false, false, false},
                       {SYS_fchmod, "fchmod", false, false, false, false, false},
                       {SYS_readlink, "readlink", true, false, false, false, false},
                       {SYS_access, "access", true, false, false, false, false},
                       {SYS_faccessat, "faccessat", true, true, false, false, false},
                       {SYS_statfs, "statfs", true, false, false, false, true},
                       {SYS_fstatfs, "fstatfs", false, false, false, false, true},
                       {SYS_lseek, "lseek", false, false, false, false, false},
                       {SYS_fstat, "fstat", false, false, false, false, false},
                       {SYS_newfstatat, "newfstatat", true, true, false, false, false},
                       {SYS_getdents64, "getdents64", false, false, false, false, false},
                       {SYS_flock, "flock", false, false, false, false, true},
                       {SYS_mmap, "mmap", false, false, false, false, false}};

const Kind* kind_of(const user_regs_struct& registers) {
  for (const Kind& kind : kKinds) {
    if (kind.number != static_cast<long>(registers.orig_rax)) continue;
    // The allocation faults cover memory without a file.
    if (kind.number == SYS_mmap && static_cast<int>(registers.r8) < 0) return nullptr;
    return &kind;
  }
  return nullptr;
}

std::string text_at(pid_t child, unsigned long long address) {
  std::string text;
  while (text.size() < PATH_MAX) {
    char block[64];
    const size_t room = 64 - (address + text.size()) % 64;  // never into the next page
    const iovec local{block, room}, remote{reinterpret_cast<void*>(address + text.size()), room};
    if (::process_vm_readv(child, &local, 1, &remote, 1, 0) <= 0) break;
    const size_t length = ::strnlen(block, room);
    text.append(block, length);
    if (length < room) break;
  }
  return text;
}

std::string link_target(const std::string& link) {
  char path[PATH_MAX];
  const ssize_t n = ::readlink(link.c_str(), path, sizeof path);
  return n > 0 ? std::string(path, static_cast<size_t>(n)) : "";
}

std::string place_of(pid_t child, long folder, const std::string& name) {
  const std::string of = "/proc/" + std::to_string(child);
  if (!name.empty() && name[0] == '/') return name;
  const std::string base =
      static_cast<int>(folder) == AT_FDCWD
          ? link_target(of + "/cwd")
          : link_target(of + "/fd/" + std::to_string(static_cast<int>(folder)));
  return name.empty() || name == "." ? base : base + "/" + name;
}

Call describe(pid_t child, const Kind& kind, const user_regs_struct& r) {
  Call call;
  call.name = kind.name;
  if (!kind.by_name) {
    call.path =
        link_target("/proc/" + std::to_string(child) + "/fd/" +
                    std::to_string(static_cast<int>(kind.number == SYS_mmap ? r.r8 : r.rdi)));
    return call;
  }
  call.path = place_of(child, kind.at ? static_cast<long>(r.rdi) : AT_FDCWD,
                       text_at(child, kind.at ? r.rsi : r.rdi));
  if (kind.number == SYS_rename) call.other = place_of(child, AT_FDCWD, text_at(child, r.rsi));
  if (kind.number == SYS_renameat2)
    call.other = place_of(child, static_cast<long>(r.rdx), text_at(child, r.r10));
  const auto flags = static_cast<int>(kind.number == SYS_openat ? r.rdx : r.rsi);
  call.writes =
      (kind.number == SYS_openat || kind.number == SYS_open) && (flags & O_ACCMODE) != O_RDONLY;
  return call;
}

// Files of the system that the kernel, the loader and the memory allocator read do not count.
// /dev/shm has temporary files like /tmp.
bool concerns_us(const Call& call) {
  if (call.path.rfind("/dev/shm/", 0) == 0) return true;
  for (const char* system : {"/proc/", "/sys/", "/dev/", "/etc/", "/usr/", "/lib"}) {
    if (call.path.rfind(system, 0) == 0) return false;
  }
  return !call.path.empty() && call.path[0] == '/';
}

bool can_happen(Fault fault, const Kind& kind, const user_regs_struct& r) {
  switch (fault) {
    case Fault::kIo: return true;
    case Fault::kNoSpace:
    case Fault::kQuota:
      // Opening a file for reading writes nothing to the disk.
      return kind.may_fill_disk && !(kind.number == SYS_open && (r.rsi & O_ACCMODE) == O_RDONLY) &&
             !(kind.number == SYS_openat && (r.rdx & O_ACCMODE) == O_RDONLY);
    case Fault::kInterrupted:
      // Linux closes the descriptor anyway.
      return kind.may_be_interrupted && kind.number != SYS_close;
    case Fault::kShort: return kind.moves_bytes && r.rdx > 1;
    default: return false;
  }
}

int error_of(Fault fault) {
  return fault == Fault::kIo        ? EIO
         : fault == Fault::kNoSpace ? ENOSPC
         : fault == Fault::kQuota   ? EDQUOT
                                    : EINTR;
}

void expect(bool ok, const char* what) {
  if (ok) return;
  std::perror(what);
  std::exit(2);
}

// Lets the process run to the begin or end of its next system call. False if the process has ended.
bool to_next_stop(pid_t child, int& status, int& signal) {
  expect(::ptrace(PTRACE_SYSCALL, child, nullptr, signal) == 0, "ptrace");
  signal = 0;
  while (::waitpid(child, &status, __WALL) < 0) {
  }
  if (!WIFSTOPPED(status)) return false;
  if (WSTOPSIG(status) != (SIGTRAP | 0x80))
    signal = WSTOPSIG(status);  // the process's own signal, which is passed on
  return true;
}

user_regs_struct registers_of(pid_t child) {
  user_regs_struct registers{};
  expect(::ptrace(PTRACE_GETREGS, child, nullptr, &registers) == 0, "ptrace: registers");
  return registers;
}

}  // namespace

const char* name_of(Fault fault) {
  const char* const names[] = {"none", "kill", "EIO", "ENOSPC", "EDQUOT", "EINTR", "short"};
  return names[static_cast<int>(fault)];
}

Traced trace(Fault fault, int64_t nth, const std::function<int()>& work) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  expect(child >= 0, "fork");
  if (child == 0) {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
    ::kill(::getpid(), kMark);
    ::_exit(work());
  }
  Traced traced;
  while (::waitpid(child, &traced.status, 0) < 0) {
  }
  expect(WIFSTOPPED(traced.status), "the process did not stop");
  expect(::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) ==
             0,
         "ptrace: options");
  bool begun = false, entering = true;
  int signal = 0;
  while (to_next_stop(child, traced.status, signal)) {
    if (signal != 0) continue;
    if (!entering) {
      entering = true;
      continue;
    }
    entering = false;
    user_regs_struct r = registers_of(child);
    if (!begun) {
      begun = r.orig_rax == SYS_kill && r.rsi == kMark;
      continue;
    }
    const Kind* const kind = kind_of(r);
    if (fault == Fault::kNone) {
      if (kind != nullptr) traced.log.push_back(describe(child, *kind, r));
      continue;
    }
    if (fault == Fault::kKill) {
      if (++traced.calls != nth) continue;
      traced.reached = true;
      traced.at = kind != nullptr ? std::string(kind->name) + " " + describe(child, *kind, r).path
                                  : "call " + std::to_string(r.orig_rax);
      ::kill(child, SIGKILL);
      while (::waitpid(child, &traced.status, 0) < 0) {
      }
      return traced;
    }
    if (kind == nullptr || !can_happen(fault, *kind, r)) continue;
    const Call call = describe(child, *kind, r);
    if (!concerns_us(call)) continue;
    if (++traced.calls != nth) continue;
    traced.reached = true;
    traced.at = call.name + " " + call.path;
    if (fault == Fault::kShort) {
      r.rdx = r.rdx / 2;
      expect(::ptrace(PTRACE_SETREGS, child, nullptr, &r) == 0, "ptrace: registers");
      continue;
    }
    // Replaces the call by one that does not exist, and returns the disk's error. A failed close()
    // still closes.
    if (kind->number != SYS_close) r.orig_rax = static_cast<unsigned long long>(-1);
    expect(::ptrace(PTRACE_SETREGS, child, nullptr, &r) == 0, "ptrace: registers");
    if (!to_next_stop(child, traced.status, signal)) return traced;
    entering = true;
    r = registers_of(child);
    r.rax = static_cast<unsigned long long>(-error_of(fault));
    expect(::ptrace(PTRACE_SETREGS, child, nullptr, &r) == 0, "ptrace: registers");
  }
  return traced;
}

}  // namespace contrastive::faults
