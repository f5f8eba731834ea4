#include "core/io/atomic_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/temporary.h"

namespace contrastive::io {
namespace {

constexpr const char* kOld = ".old";  // the suffix of a target while it is moved away, on a file
                                      // system that cannot exchange two names

std::string resolve_target(std::string path) {
  check(!path.empty(), Status::kArgument, "the path to save to is empty");
  check(path.find('\0') == std::string::npos, Status::kArgument, "the path to save to holds a NUL");
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  if (path_exists(path)) {
    // Follow the links of an existing target: replace the folder, not the link that a user made to
    // it.
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                           &std::free);
    if (!real) fail_system(path, "cannot be resolved", errno);
    path = real.get();
    check(is_directory(path), Status::kIo, path,
          ": is a file; a folder is written, choose another name");
  }
  const std::string name = base_name(path);
  check(!name.empty() && name != "." && name != "..", Status::kArgument, path,
        ": cannot be replaced as a whole; choose a separate folder");
  return path;
}

void make_parents(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail_system(folder, "cannot be created", error.value());
}

void sync_tree(const std::string& folder) {
  const auto entries = open_entries(folder);
  if (!entries) fail_system(folder, "cannot be listed", errno);
  while (const char* name = next_entry(entries.get(), folder)) {
    const std::string path = folder + "/" + name;
    struct stat info{};
    if (::lstat(path.c_str(), &info) != 0) fail_system(path, "cannot be looked at", errno);
    if (S_ISDIR(info.st_mode)) sync_tree(path);
    if (S_ISREG(info.st_mode)) sync_file(path);
  }
  sync_folder(folder);
}

std::string lock_path(const std::string& target) {
  return parent_folder(target) + "/." + base_name(target) + ".lock";
}

// True for ".model.tmp-12-0.old" of this target, but not for what was moved away while
// ".model.tmp-12-0" itself was saved.
bool is_moved_away(const std::string& path, const std::string& target) {
  const std::string name = base_name(path);
  return name.rfind("." + base_name(target) + ".", 0) == 0 && name.size() > 4 &&
         name.compare(name.size() - 4, 4, kOld) == 0;
}

// While we hold the lock, no other process saves to `target`: its temporaries are from killed
// processes. One of them may have moved the target itself away.
void clean_up_after_the_dead(const std::string& target) {
  remove_dead_temporaries(target, [&](const std::string& path) {
    return is_moved_away(path, target) && !path_exists(target) &&
           ::rename(path.c_str(), target.c_str()) == 0;
  });
}

}  // namespace

bool is_away(const std::string& path) {
  constexpr int kMostSteps = 64;
  std::string folder = path;
  for (int step = 0; step < kMostSteps && !path_exists(folder); ++step) {
    if (path_exists(lock_path(folder))) return true;
    // A saving process resolves links before it locks: the lock is next to the folder that a link
    // leads to.
    const std::string target = link_target(folder), parent = parent_folder(folder);
    folder = target.empty() ? parent : target[0] == '/' ? target : parent + "/" + target;
  }
  return false;
}

// Locks ".<name>.lock" next to the target with flock(). The kernel releases the lock when its
// holder dies.
class AtomicFolder::Lock {
 public:
  explicit Lock(const std::string& target) : path_(lock_path(target)) {
    while (true) {
      file_ = open_lock_file(path_);
      if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR) continue;
        refuse(target, errno);
      }
      // The previous holder may have removed the file between our open() and flock(). Then this
      // lock protects nothing.
      struct stat ours{}, there{};
      if (::fstat(file_.get(), &ours) == 0 && ::stat(path_.c_str(), &there) == 0 &&
          ours.st_ino == there.st_ino && ours.st_dev == there.st_dev)
        break;
    }
    const std::string pid = std::to_string(::getpid()) + "\n";
    if (::ftruncate(file_.get(), 0) != 0 || ::write(file_.get(), pid.data(), pid.size()) < 0) {
      // The process number is only for error messages. If the disk is full, writing the model
      // reports it.
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { ::unlink(path_.c_str()); }

 private:
  [[noreturn]] void refuse(const std::string& target, int error) {
    if (error != EWOULDBLOCK) fail_system(path_, "cannot be locked", error);
    char pid[32] = {};
    const ssize_t n = ::pread(file_.get(), pid, sizeof(pid) - 1, 0);
    fail(Status::kBusy, target, ": process ",
         n > 0 ? std::string(pid, std::strcspn(pid, "\n")) : "?", " is saving to this folder");
  }

  std::string path_;
  Descriptor file_;
};

void clean_up_folder(const std::string& folder) {
  std::set<std::string> targets;
  std::error_code error;
  for (std::filesystem::directory_iterator item(folder, error), end; !error && item != end;
       item.increment(error)) {
    const std::string name = target_of_temporary(item->path().filename().string());
    if (!name.empty()) targets.insert(folder + "/" + name);
  }
  for (const std::string& target : targets) {
    try {
      const AtomicFolder::Lock lock(target);
      clean_up_after_the_dead(target);
    } catch (const Error& busy) {
      log_info(busy.what());
    }
  }
}

AtomicFolder::AtomicFolder(const std::string& target, const Check& check)
    : target_(resolve_target(target)) {
  make_parents(parent_folder(target_));
  lock_ = std::make_unique<Lock>(target_);
  clean_up_after_the_dead(target_);
  if (check && path_exists(target_)) check(target_);
  make_temporary();
}

AtomicFolder::~AtomicFolder() {
  if (!temporary_.empty()) remove_tree(temporary_.c_str());
}

void AtomicFolder::make_temporary() {
  do {
    temporary_ = temporary_path(target_);
    if (::mkdir(temporary_.c_str(), 0700) == 0) break;
    const int error = errno;
    const std::string path = std::exchange(temporary_, "");
    if (error != EEXIST) fail_system(path, "cannot be created", error);
  } while (true);
  // The umask may have removed our own permissions. Other users get theirs at the end.
  if (::chmod(temporary_.c_str(), 0700) != 0)
    fail_system(temporary_, "cannot be opened to its owner", errno);
}

void AtomicFolder::require_space(int64_t bytes) const {
  struct statvfs disk{};
  if (::statvfs(temporary_.c_str(), &disk) != 0 || disk.f_blocks == 0)
    return;  // unknown: writing will report it
  const Size free = Size(narrow<int64_t>(disk.f_bavail, "free blocks"), "free space") *
                    narrow<int64_t>(disk.f_frsize, "block size");
  check(free.value() >= bytes, Status::kNoSpace, target_, ": ", bytes,
        " bytes are to be written, and the disk has ", free.value());
}

void AtomicFolder::make_folder(const std::string& name) {
  const std::string path = join_inside(temporary_, name, target_);
  if (::mkdir(path.c_str(), 0777) != 0) fail_system(path, "cannot be created", errno);
  struct stat info{};
  const bool opened =
      ::stat(path.c_str(), &info) == 0 && ::chmod(path.c_str(), (info.st_mode & 0777) | 0700) == 0;
  if (!opened) fail_system(path, "cannot be opened to its owner", errno);
}

void AtomicFolder::write_file(const std::string& name, std::string_view bytes) {
  OutputFile file(join_inside(temporary_, name, target_));
  file.write(bytes);
  file.finish();
}

void AtomicFolder::commit() {
  check(!temporary_.empty(), Status::kState, target_, ": was committed already");
  // Use the permissions of the folder that is replaced, or those that the umask gives a new one.
  struct stat old{}, probe{};
  mode_t mode = 0700;
  const bool replaces = ::stat(target_.c_str(), &old) == 0;
  const std::string probe_path = temporary_ + "/.mode";
  if (replaces) {
    mode |= old.st_mode & 0777;
  } else if (::mkdir(probe_path.c_str(), 0777) == 0) {
    if (::stat(probe_path.c_str(), &probe) == 0) mode |= probe.st_mode & 0777;
    ::rmdir(probe_path.c_str());
  }
  if (::chmod(temporary_.c_str(), mode) != 0)
    fail_system(temporary_, "its rights cannot be set", errno);
  sync_tree(temporary_);
  // Make all names that are needed from here on: no memory must be allocated after the exchange.
  const std::string parent = parent_folder(target_);
  std::string other = temporary_ + kOld;
  const Swap swap = swap_with_target(other);
  try {
    sync_folder(parent);
  } catch (...) {
    take_back(swap, other, replaces ? old.st_mode & 0777 : 0);
    throw;
  }
  remove_tree(temporary_.c_str());  // the old folder; the next save removes what remains
  temporary_.clear();
  lock_.reset();
}

AtomicFolder::Swap AtomicFolder::swap_with_target(std::string& other) {
  const char *const here = temporary_.c_str(), *const there = target_.c_str();
  // If the target is missing or an empty folder, a plain rename is atomic.
  if (::rename(here, there) == 0) return Swap::kRenamed;
  if (errno != ENOTEMPTY && errno != EEXIST) fail_system(target_, "cannot be put in place", errno);
  if (::renameat2(AT_FDCWD, here, AT_FDCWD, there, RENAME_EXCHANGE) == 0) return Swap::kExchanged;
  if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP)
    fail_system(target_, "cannot be replaced", errno);
  // The file system cannot exchange two names. The target is missing between two renames; if the
  // process is killed there, the next save puts it back.
  log_warning(target_,
              ": this file system cannot exchange two folders; the replacement is not atomic");
  if (::rename(there, other.c_str()) != 0) fail_system(target_, "cannot be moved away", errno);
  if (::rename(here, there) != 0) {
    const int error = errno;
    if (::rename(other.c_str(), there) != 0)
      log_warning(other, ": is the folder that was at ", target_);
    fail_system(target_, "cannot be put in place", error);
  }
  temporary_.swap(other);
  return Swap::kMovedAway;
}

// Puts the old target back after an error, before the caller is told. `replaced`: the permissions
// of the old folder.
void AtomicFolder::take_back(Swap swap, std::string& other, mode_t replaced) noexcept {
  const char *const here = temporary_.c_str(), *const there = target_.c_str();
  bool done = false;
  if (swap == Swap::kExchanged) {
    done = ::renameat2(AT_FDCWD, here, AT_FDCWD, there, RENAME_EXCHANGE) == 0;
  } else if (swap == Swap::kRenamed) {
    done = ::rename(there, here) == 0 &&
           (replaced == 0 || (::mkdir(there, replaced) == 0 && ::chmod(there, replaced) == 0));
  } else if (::rename(there, other.c_str()) == 0) {
    done = ::rename(here, there) == 0;
    if (done) temporary_.swap(other);
    else ::rename(other.c_str(), there);
  }
  if (done) return;
  temporary_.clear();  // keep both folders: it is unknown which one is on the disk
  try {
    log_warning(target_, ": may contain the new save; a folder next to it whose name begins "
                         "with '.' contains the other version until the next save");
  } catch (...) {  // the original error is reported
  }
}

}  // namespace contrastive::io
