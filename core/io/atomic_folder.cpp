#include "core/io/atomic_folder.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/log.h"

namespace contrastive::io {
namespace {

constexpr const char* kOld = ".old";  // what a target is called for the moment in which a file system without exchange has it moved away

std::string resolve_target(std::string path) {
  check(!path.empty(), Status::kArgument, "the path to save to is empty");
  check(path.find('\0') == std::string::npos, Status::kArgument, "the path to save to holds a NUL");
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  if (path_exists(path)) {
    // The links of an existing target are followed: it is the folder that is replaced, not the link that somebody made to it.
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
    if (!real) fail_system(path, "cannot be resolved", errno);
    path = real.get();
    check(is_directory(path), Status::kIo, path, ": is a file; a folder is written, choose another name");
  }
  const std::string name = base_name(path);
  check(!name.empty() && name != "." && name != "..", Status::kArgument, path, ": cannot be replaced as a whole; choose a folder of its own");
  return path;
}

void make_parents(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail_system(folder, "cannot be created", error.value());
}

void sync_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) fail_system(path, "cannot be opened", errno);
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (error != 0) fail_system(path, "cannot be made durable", error);
}

void sync_tree(const std::string& folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator item(folder, error), end; !error && item != end; item.increment(error)) {
    if (item->is_symlink(error)) continue;
    if (item->is_directory(error)) {
      sync_tree(item->path().string());
    } else {
      sync_file(item->path().string());
    }
  }
  if (error) fail_system(folder, "cannot be listed", error.value());
  sync_folder(folder);
}

enum class Owner { kDead, kThisProcess, kOther };

// Whose temporary folder "<pid>-<n>..." is.
Owner owner_of(const std::string& rest) {
  const std::string digits = rest.substr(0, rest.find('-'));
  if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos) return Owner::kOther;
  const pid_t pid = static_cast<pid_t>(std::stol(digits));
  if (pid == ::getpid()) return Owner::kThisProcess;
  return ::kill(pid, 0) != 0 && errno == ESRCH ? Owner::kDead : Owner::kOther;
}

// Removes the temporary folders that killed savers of `target` left, and gives back a target that was moved away when one was killed.
void clean_up_after_the_dead(const std::string& target) {
  const std::string parent = parent_folder(target), own_prefix = "." + base_name(target) + ".tmp-", nested_prefix = "." + own_prefix;
  std::error_code ignored;
  for (std::filesystem::directory_iterator place(parent, ignored), end; !ignored && place != end; place.increment(ignored)) {
    const std::string path = place->path().string(), name = base_name(path);
    const bool own = name.compare(0, own_prefix.size(), own_prefix) == 0;
    const bool nested = name.compare(0, nested_prefix.size(), nested_prefix) == 0;  // of a folder saved into such a temporary folder
    if (!own && !nested) continue;
    const Owner owner = owner_of(name.substr(own ? own_prefix.size() : nested_prefix.size()));
    // Under the lock no other thread of this process can be writing an own one.
    if (owner != Owner::kDead && !(own && owner == Owner::kThisProcess)) continue;
    const bool moved_away = own && name.size() > 4 && name.compare(name.size() - 4, 4, kOld) == 0;
    if (moved_away && !path_exists(target) && ::rename(path.c_str(), target.c_str()) == 0) continue;
    std::error_code failed;
    std::filesystem::remove_all(path, failed);
  }
}

}  // namespace

// flock() on ".<name>.lock" beside the target: the kernel lets go of it when its holder dies, however it dies.
class AtomicFolder::Lock {
 public:
  explicit Lock(const std::string& target) : path_(parent_folder(target) + "/." + base_name(target) + ".lock") {
    while (true) {
      descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
      if (descriptor_ < 0) fail_system(path_, "cannot be created", errno);
      if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) refuse(target, errno);
      // The holder before us may have removed the file between our open() and flock(): then this lock guards nothing.
      struct stat ours{}, there{};
      if (::fstat(descriptor_, &ours) == 0 && ::stat(path_.c_str(), &there) == 0 && ours.st_ino == there.st_ino && ours.st_dev == there.st_dev) break;
      ::close(descriptor_);
    }
    const std::string pid = std::to_string(::getpid()) + "\n";
    if (::ftruncate(descriptor_, 0) != 0 || ::write(descriptor_, pid.data(), pid.size()) < 0) {
      // The pid is only for the message to others; a full disk shows where the model is written.
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    ::unlink(path_.c_str());
    ::close(descriptor_);
  }

 private:
  [[noreturn]] void refuse(const std::string& target, int error) {
    char pid[32] = {};
    const ssize_t n = ::pread(descriptor_, pid, sizeof(pid) - 1, 0);
    ::close(descriptor_);
    if (error != EWOULDBLOCK) fail_system(path_, "cannot be locked", error);
    fail(Status::kBusy, target, ": process ", n > 0 ? std::string(pid, std::strcspn(pid, "\n")) : "?", " is saving to this folder");
  }

  std::string path_;
  int descriptor_ = -1;
};

AtomicFolder::AtomicFolder(const std::string& target, const Check& check) : target_(resolve_target(target)) {
  make_parents(parent_folder(target_));
  lock_ = std::make_unique<Lock>(target_);
  clean_up_after_the_dead(target_);
  if (check && path_exists(target_)) check(target_);
  make_temporary();
}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
}

void AtomicFolder::make_temporary() {
  static std::atomic<uint64_t> count{0};
  const std::string prefix = parent_folder(target_) + "/." + base_name(target_) + ".tmp-" + std::to_string(::getpid()) + "-";
  while (true) {
    const std::string path = prefix + std::to_string(count++);
    if (::mkdir(path.c_str(), 0700) == 0) {
      temporary_ = path;
      break;
    }
    if (errno != EEXIST) fail_system(path, "cannot be created", errno);
  }
  // A umask may have taken our own rights; others get theirs at the end.
  if (::chmod(temporary_.c_str(), 0700) != 0) fail_system(temporary_, "cannot be opened to its owner", errno);
}

void AtomicFolder::require_space(int64_t bytes) const {
  struct statvfs disk{};
  if (::statvfs(temporary_.c_str(), &disk) != 0 || disk.f_blocks == 0) return;  // unknown: then writing will tell
  const Size free = Size(narrow<int64_t>(disk.f_bavail, "free blocks"), "free space") * narrow<int64_t>(disk.f_frsize, "block size");
  check(free.value() >= bytes, Status::kNoSpace, target_, ": ", bytes, " bytes are to be written, and the disk has ", free.value());
}

void AtomicFolder::make_folder(const std::string& name) {
  const std::string path = join_inside(temporary_, name, target_);
  if (::mkdir(path.c_str(), 0777) != 0) fail_system(path, "cannot be created", errno);
  struct stat info{};
  const bool opened = ::stat(path.c_str(), &info) == 0 && ::chmod(path.c_str(), (info.st_mode & 0777) | 0700) == 0;
  if (!opened) fail_system(path, "cannot be opened to its owner", errno);
}

void AtomicFolder::write_file(const std::string& name, std::string_view bytes) {
  OutputFile file(join_inside(temporary_, name, target_));
  file.write(bytes);
  file.finish();
}

void AtomicFolder::commit() {
  check(!temporary_.empty(), Status::kState, target_, ": was committed already");
  // The rights of the folder that is replaced, or those that the umask gives a new one.
  struct stat old{}, probe{};
  mode_t mode = 0700;
  const std::string probe_path = temporary_ + "/.mode";
  if (::stat(target_.c_str(), &old) == 0) {
    mode |= old.st_mode & 0777;
  } else if (::mkdir(probe_path.c_str(), 0777) == 0) {
    if (::stat(probe_path.c_str(), &probe) == 0) mode |= probe.st_mode & 0777;
    ::rmdir(probe_path.c_str());
  }
  if (::chmod(temporary_.c_str(), mode) != 0) fail_system(temporary_, "its rights cannot be set", errno);
  sync_tree(temporary_);
  swap_with_target();
  sync_folder(parent_folder(target_));
  std::error_code ignored;
  std::filesystem::remove_all(temporary_, ignored);  // the old folder; what stays is removed by the next saver
  temporary_.clear();
  lock_.reset();
}

void AtomicFolder::swap_with_target() {
  // Onto nothing, or onto an empty folder, a plain rename is atomic.
  if (::rename(temporary_.c_str(), target_.c_str()) == 0) return;
  if (errno != ENOTEMPTY && errno != EEXIST) fail_system(target_, "cannot be put in place", errno);
  if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) return;
  if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) fail_system(target_, "cannot be replaced", errno);
  // A file system that cannot exchange two names: the target is away for the moment between two renames, and the next saver heals a kill there.
  log_warning(target_, ": this file system cannot exchange two folders; the replacement is not atomic");
  const std::string old = temporary_ + kOld;
  if (::rename(target_.c_str(), old.c_str()) != 0) fail_system(target_, "cannot be moved away", errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    const int error = errno;
    if (::rename(old.c_str(), target_.c_str()) != 0) log_warning(old, ": is the folder that was at ", target_);
    fail_system(target_, "cannot be put in place", error);
  }
  temporary_ = old;
}

}  // namespace contrastive::io
