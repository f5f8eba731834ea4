#include "core/system/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "core/system/posix/file_size_signal.h"

namespace contrastive::system {
namespace {

constexpr size_t kMostBytes = size_t{1} << 30;  // Linux transfers at most 2 GB at once

template <class Call>
auto again(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

int folder_of(const Place& place) {
  return place.folder == kWorkingFolder ? AT_FDCWD : place.folder;
}

Kind kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG: return Kind::kFile;
    case S_IFDIR: return Kind::kFolder;
    case S_IFLNK: return Kind::kLink;
    case S_IFIFO: return Kind::kFifo;
    case S_IFSOCK: return Kind::kSocket;
    case S_IFCHR: return Kind::kCharacterDevice;
    case S_IFBLK: return Kind::kBlockDevice;
    default: return Kind::kOther;
  }
}

void fill(FileInfo& info, const struct stat& found) {
  info.kind = kind_of(found.st_mode);
  info.size = found.st_size;
  info.permissions = found.st_mode & 0777;
  info.volume = static_cast<uint64_t>(found.st_dev);
  info.number = static_cast<uint64_t>(found.st_ino);
}

bool are_dots(const char* name) {
  return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;
}

void remove_at(int folder, const char* name) noexcept {
  if (::unlinkat(folder, name, 0) == 0 || (errno != EISDIR && errno != EPERM)) return;
  const int inside = ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR* const items = inside < 0 ? nullptr : ::fdopendir(inside);
  if (items == nullptr && inside >= 0) ::close(inside);
  while (const dirent* item = items == nullptr ? nullptr : ::readdir(items)) {
    if (!are_dots(item->d_name)) remove_at(inside, item->d_name);
  }
  if (items != nullptr) ::closedir(items);
  ::unlinkat(folder, name, AT_REMOVEDIR);
}

}  // namespace

std::string error_text(int error) { return std::strerror(error); }

bool is_quota(int error) noexcept { return error == EDQUOT; }

bool get_info(const Place& place, Links links, FileInfo& info) noexcept {
  struct stat found{};
  const int flags = links == Links::kFollow ? 0 : AT_SYMLINK_NOFOLLOW;
  if (::fstatat(folder_of(place), place.name, &found, flags) != 0) return false;
  fill(info, found);
  return true;
}

bool get_info(int file, FileInfo& info) noexcept {
  struct stat found{};
  if (::fstat(file, &found) != 0) return false;
  fill(info, found);
  return true;
}

int open_file(const Place& place, unsigned mode) noexcept {
  const bool read = (mode & kRead) != 0, write = (mode & kWrite) != 0;
  int flags = (read && write ? O_RDWR : write ? O_WRONLY : O_RDONLY) | O_CLOEXEC | O_NOCTTY;
  if ((mode & kCreate) != 0) flags |= O_CREAT;
  if ((mode & kNew) != 0) flags |= O_EXCL;
  if ((mode & kAppend) != 0) flags |= O_APPEND;
  if ((mode & kNoLink) != 0) flags |= O_NOFOLLOW;
  if ((mode & kNoWait) != 0) flags |= O_NONBLOCK;
  return again([&] { return ::openat(folder_of(place), place.name, flags, 0666); });
}

int open_folder(const Place& place) noexcept {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  return again([&] { return ::openat(folder_of(place), place.name, kFlags); });
}

bool close_file(int file) noexcept { return ::close(file) == 0 || errno == EINTR; }

int duplicate(int file) noexcept { return ::fcntl(file, F_DUPFD_CLOEXEC, 0); }

int64_t read_at(int file, void* into, size_t bytes, int64_t offset) noexcept {
  return again([&] { return ::pread(file, into, std::min(bytes, kMostBytes), offset); });
}

int64_t write_on(int file, const void* data, size_t bytes) noexcept {
  const NoFileSizeSignal no_signal;
  return again([&] { return ::write(file, data, std::min(bytes, kMostBytes)); });
}

int64_t write_at(int file, const void* data, size_t bytes, int64_t offset) noexcept {
  const NoFileSizeSignal no_signal;
  return again([&] { return ::pwrite(file, data, std::min(bytes, kMostBytes), offset); });
}

bool resize(int file, int64_t bytes) noexcept {
  return again([&] { return ::ftruncate(file, bytes); }) == 0;
}

bool sync(int file) noexcept {
  if (again([&] { return ::fsync(file); }) == 0) return true;
  FileInfo info;
  const int error = errno;
  if (error == EINVAL && get_info(file, info) && info.kind == Kind::kFolder) return true;
  errno = error;
  return false;
}

bool open_to_owner(int file) noexcept {
  FileInfo info;
  return get_info(file, info) &&
         ((info.permissions & 0600) == 0600 || ::fchmod(file, info.permissions | 0600) == 0);
}

Locked try_lock(int file) noexcept {
  if (again([&] { return ::flock(file, LOCK_EX | LOCK_NB); }) == 0) return Locked::kYes;
  return errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP ? Locked::kCannot : Locked::kNo;
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real != nullptr ? real.get() : "";
}

std::string link_target(const Place& place) {
  std::string target(PATH_MAX, '\0');
  const ssize_t length = ::readlinkat(folder_of(place), place.name, target.data(), target.size());
  target.resize(length < 0 ? 0 : static_cast<size_t>(length));
  return target;
}

bool make_folder(const char* path, bool only_for_owner) noexcept {
  return ::mkdir(path, only_for_owner ? 0700 : 0777) == 0;
}

bool set_permissions(const char* path, unsigned permissions) noexcept {
  return ::chmod(path, static_cast<mode_t>(permissions)) == 0;
}

bool remove_file(const char* path) noexcept { return ::unlink(path) == 0; }

bool remove_folder(const char* path) noexcept { return ::rmdir(path) == 0; }

void remove_tree(const char* path) noexcept { remove_at(AT_FDCWD, path); }

bool rename(const char* from, const char* to) noexcept { return ::rename(from, to) == 0; }

int64_t free_space(const char* path) noexcept {
  struct statvfs disk{};
  int64_t bytes = 0;
  if (::statvfs(path, &disk) != 0 || disk.f_blocks == 0 ||
      __builtin_mul_overflow(disk.f_bavail, disk.f_frsize, &bytes))
    return -1;
  return bytes;
}

Entries::Entries(const Place& folder) noexcept {
  const int opened = open_folder(folder);
  if (opened < 0) return;
  folder_ = ::fdopendir(opened);
  if (folder_ != nullptr) return;
  const int error = errno;
  ::close(opened);
  errno = error;
}

Entries::~Entries() {
  if (folder_ != nullptr) ::closedir(static_cast<DIR*>(folder_));
}

const char* Entries::next() noexcept {
  do {
    errno = 0;
    const dirent* const item = ::readdir(static_cast<DIR*>(folder_));
    if (item == nullptr) return nullptr;
    if (!are_dots(item->d_name)) return item->d_name;
  } while (true);
}

}  // namespace contrastive::system
