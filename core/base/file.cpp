#include "core/base/file.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>

#include "core/base/error.h"
#include "core/base/held_folder.h"
#include "core/host/file_size_signal.h"

namespace contrastive {
namespace {

// The type of a path; 0 if nothing is there, as far as this process may look. A disk that cannot be
// read is an error: an optional file on it must not be treated as absent.
mode_t type_of(const std::string& path) {
  const Place place = HeldFolder::place_of(path);
  struct stat info{};
  if (::fstatat(place.folder, place.name, &info, 0) == 0) return info.st_mode & S_IFMT;
  const bool absent = errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ELOOP ||
                      errno == ENAMETOOLONG;
  if (!absent) fail_system(path, "cannot be looked at", errno);
  return 0;
}

const char* name_of(mode_t type) {
  switch (type & S_IFMT) {
    case S_IFDIR: return "a folder";
    case S_IFIFO: return "a FIFO";
    case S_IFSOCK: return "a socket";
    case S_IFCHR: return "a character device";
    case S_IFBLK: return "a block device";
    default: return "a special file";
  }
}

int open_again(const std::string& path, int flags, mode_t mode = 0666) {
  const Place place = HeldFolder::place_of(path);
  int descriptor = -1;
  do {
    descriptor = ::openat(place.folder, place.name, flags | O_CLOEXEC | O_NOCTTY, mode);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

int sync_again(int descriptor) {
  int result = 0;
  do {
    result = ::fsync(descriptor);
  } while (result != 0 && errno == EINTR);
  return result;
}

std::string cut_short(const std::string& path) {
  return path.size() <= 300 ? path : path.substr(0, 300) + "...";
}

bool suits(mode_t type, FileUse use) {
  return S_ISREG(type) || (use == FileUse::kAppend && S_ISCHR(type));
}

[[noreturn]] void fail_kind(const std::string& path, mode_t type) {
  fail(Status::kArgument, path, ": not a regular file but ", name_of(type));
}

[[noreturn]] void fail_open(const std::string& path, int error, bool absent_is_not_found) {
  if (!absent_is_not_found || (error != ENOENT && error != ENOTDIR))
    fail_system(path, "cannot be opened", error);
  fail(Status::kNotFound, cut_short(path), ": cannot be opened: ", std::strerror(error));
}

// The small text file that Git LFS checks out in place of a large file.
void refuse_lfs_pointer(const Descriptor& file, const struct stat& info, const std::string& path) {
  constexpr std::string_view kBeginning = "version https://git-lfs";
  constexpr int64_t kMostBytes = 1024;
  if (!S_ISREG(info.st_mode) || info.st_size > kMostBytes) return;
  char head[kBeginning.size()];
  if (read_up_to(file.get(), head, sizeof head, 0, path) < static_cast<int64_t>(sizeof head))
    return;
  check(std::string_view(head, sizeof head) != kBeginning, Status::kFormat, path,
        ": a pointer of Git LFS, not the file itself; `git -C ", parent_folder(path),
        " lfs pull` fetches it");
}

void remove_at(int folder, const char* name) noexcept {
  if (::unlinkat(folder, name, 0) == 0 || (errno != EISDIR && errno != EPERM)) return;
  const int inside = ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR* const items = inside < 0 ? nullptr : ::fdopendir(inside);
  if (items == nullptr && inside >= 0) ::close(inside);
  while (const dirent* item = items == nullptr ? nullptr : ::readdir(items)) {
    const bool dots = std::strcmp(item->d_name, ".") == 0 || std::strcmp(item->d_name, "..") == 0;
    if (!dots) remove_at(inside, item->d_name);
  }
  if (items != nullptr) ::closedir(items);
  ::unlinkat(folder, name, AT_REMOVEDIR);
}

}  // namespace

void Descriptor::close() noexcept {
  if (value_ >= 0) ::close(std::exchange(value_, -1));
}

bool path_exists(const std::string& path) { return type_of(path) != 0; }

bool is_directory(const std::string& path) { return S_ISDIR(type_of(path)); }

std::string link_target(const std::string& path) {
  const Place place = HeldFolder::place_of(path);
  std::string target(PATH_MAX, '\0');
  const ssize_t length = ::readlinkat(place.folder, place.name, target.data(), target.size());
  target.resize(length < 0 ? 0 : static_cast<size_t>(length));
  return target;
}

bool is_same_file(const std::string& a, const std::string& b) {
  struct stat first{}, second{};
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool is_regular_file(const std::string& path) { return S_ISREG(type_of(path)); }

Descriptor open_file(const std::string& path, FileUse use, int64_t max_bytes) {
  // Check the type before opening, because opening has side effects on some devices, and again
  // afterwards, because the name may lead to another file by then.
  const mode_t before = type_of(path);
  if (before != 0 && !suits(before, use)) fail_kind(path, before);
  constexpr int kFlags[] = {O_RDONLY, O_RDWR | O_CREAT, O_WRONLY | O_CREAT | O_APPEND};
  // Without O_NONBLOCK, opening a FIFO without a writer would block. For regular files it changes
  // nothing.
  Descriptor file(open_again(path, kFlags[static_cast<int>(use)] | O_NONBLOCK));
  if (!file) fail_open(path, errno, use == FileUse::kRead);
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) fail_system(path, "cannot be looked at", errno);
  if (!suits(info.st_mode, use)) fail_kind(path, info.st_mode);
  check(info.st_size <= max_bytes, Status::kLimit, path, ": ", info.st_size,
        " bytes, above the limit of ", max_bytes);
  if (use == FileUse::kRead) refuse_lfs_pointer(file, info, path);
  return file;
}

Descriptor create_file(const std::string& path, bool readable) {
  Descriptor file(open_again(path, (readable ? O_RDWR : O_WRONLY) | O_CREAT | O_EXCL | O_NOFOLLOW));
  if (!file) fail_system(path, "cannot be created", errno);
  // With a umask that removes our own permission to read, the saved model could not be loaded.
  struct stat info{};
  if (::fstat(file.get(), &info) == 0 && (info.st_mode & 0600) != 0600)
    ::fchmod(file.get(), (info.st_mode & 0777) | 0600);
  return file;
}

Descriptor create_unnamed_file(const std::string& folder) {
  return Descriptor(open_again(folder, O_TMPFILE | O_RDWR, 0600));
}

Descriptor open_folder(const std::string& path) noexcept {
  return Descriptor(open_again(path, O_RDONLY | O_DIRECTORY));
}

std::unique_ptr<DIR, int (*)(DIR*)> open_entries(const std::string& folder) {
  Descriptor opened = open_folder(folder);
  DIR* const entries = opened ? ::fdopendir(opened.get()) : nullptr;
  if (entries == nullptr && errno == ENOMEM) throw std::bad_alloc();
  if (entries != nullptr) opened.release();
  return {entries, &::closedir};
}

const char* next_entry(DIR* entries, const std::string& folder) {
  while (true) {
    errno = 0;
    const dirent* const item = ::readdir(entries);
    if (item == nullptr && errno != 0) fail_system(folder, "cannot be listed", errno);
    if (item == nullptr) return nullptr;
    if (std::strcmp(item->d_name, ".") != 0 && std::strcmp(item->d_name, "..") != 0)
      return item->d_name;
  }
}

Descriptor open_to_lock(const std::string& path) noexcept {
  // Open it for writing if possible: NFS does not lock a file that is open only for reading.
  Descriptor file(open_again(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK));
  return file ? std::move(file) : Descriptor(open_again(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
}

Descriptor open_lock_file(const std::string& path) {
  Descriptor file(open_again(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK));
  if (!file) fail_system(path, "cannot be created", errno);
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) fail_system(path, "cannot be looked at", errno);
  check(S_ISREG(info.st_mode), Status::kIo, path, ": is to be a lock file and is ",
        name_of(info.st_mode));
  return file;
}

Descriptor open_stream_to_read(const std::string& path) {
  Descriptor file(open_again(path, O_RDONLY));
  if (!file) fail_open(path, errno, true);
  struct stat info{};
  if (::fstat(file.get(), &info) == 0) refuse_lfs_pointer(file, info, path);
  return file;
}

Descriptor open_stream_to_write(const std::string& path) {
  Descriptor file(open_again(path, O_WRONLY));
  if (!file) fail_open(path, errno, true);
  return file;
}

int64_t file_size(const Descriptor& file, const std::string& path) {
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) fail_system(path, "cannot be looked at", errno);
  return info.st_size;
}

int64_t read_up_to(int descriptor, char* into, int64_t bytes, int64_t offset,
                   const std::string& path) {
  constexpr int64_t kMost = int64_t{1} << 30;  // Linux transfers at most 2 GB at once
  int64_t done = 0;
  while (done < bytes) {
    const ssize_t n = ::pread(descriptor, into + done,
                              static_cast<size_t>(std::min(bytes - done, kMost)), offset + done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_system(path, "cannot be read", errno);
    if (n == 0) break;
    done += n;
  }
  return done;
}

void write_all(int descriptor, std::string_view bytes, const std::string& path) {
  constexpr size_t kMost = size_t{1} << 30;
  const host::NoFileSizeSignal no_signal;
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), std::min(bytes.size(), kMost));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail_system(path, "cannot be written", n == 0 ? ENOSPC : errno);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

void sync_and_close(Descriptor& file, const std::string& path) {
  if (sync_again(file.get()) != 0) fail_system(path, "cannot be made durable", errno);
  // close() releases the descriptor even if it fails.
  if (::close(file.release()) != 0 && errno != EINTR) fail_system(path, "cannot be closed", errno);
}

void sync_file(const std::string& path) {
  Descriptor file(open_again(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  if (!file) fail_system(path, "cannot be opened", errno);
  if (sync_again(file.get()) != 0) fail_system(path, "cannot be made durable", errno);
}

void sync_folder(const std::string& path) {
  const Descriptor folder = open_folder(path);
  if (!folder) fail_system(path, "cannot be opened", errno);
  // Some file systems cannot sync a folder and return EINVAL. Nothing better can be done there.
  if (sync_again(folder.get()) != 0 && errno != EINVAL)
    fail_system(path, "cannot be made durable", errno);
}

void remove_tree(const char* path) noexcept { remove_at(AT_FDCWD, path); }

std::string parent_folder(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool lies_in(const std::string& path, const std::string& folder) {
  const auto whole = [](const std::string& name) {
    std::error_code error;
    std::filesystem::path place =
        std::filesystem::weakly_canonical(std::filesystem::absolute(name, error), error);
    if (error) place = std::filesystem::path(name).lexically_normal();
    return place.has_filename() ? place : place.parent_path();  // without the trailing slash
  };
  const std::filesystem::path inner = whole(path), outer = whole(folder);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void fail_system(const std::string& path, const std::string& what, int error) {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  if (error == ENOMEM) throw std::bad_alloc();
  fail(full ? Status::kNoSpace : Status::kIo, cut_short(path), ": ", what, ": ",
       std::strerror(error));
}

std::string read_file(const std::string& path, int64_t max_bytes) {
  const Descriptor file = open_file(path, FileUse::kRead, max_bytes);
  std::string bytes(static_cast<size_t>(file_size(file, path)), '\0');
  const auto wanted = static_cast<int64_t>(bytes.size());
  check(read_up_to(file.get(), bytes.data(), wanted, 0, path) == wanted, Status::kCorrupt, path,
        ": became shorter while it was read");
  return bytes;
}

std::string join_inside(const std::string& folder, const std::string& name,
                        const std::string& source) {
  check(name.size() <= 4096, Status::kFormat, source, ": a path of ", name.size(), " characters");
  check(name.find('\0') == std::string::npos, Status::kFormat, source,
        ": a path with a NUL character");
  check(name.empty() || name[0] != '/', Status::kFormat, source, ": the path '", name,
        "' is absolute; it must stay inside ", folder);
  std::string path = folder;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    check(part != "..", Status::kFormat, source, ": the path '", name, "' leaves ", folder);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    path += "/" + part;
    // A folder that is a link could lead anywhere. A file that is a link is allowed: download
    // caches store their files that way.
    const Place place = HeldFolder::place_of(path);
    struct stat info{};
    if (::fstatat(place.folder, place.name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISLNK(info.st_mode) && is_directory(path)) {
      const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                             &std::free);
      const std::unique_ptr<char, decltype(&std::free)> base(::realpath(folder.c_str(), nullptr),
                                                             &std::free);
      const bool inside = real && base &&
                          std::strncmp(real.get(), base.get(), std::strlen(base.get())) == 0 &&
                          real.get()[std::strlen(base.get())] == '/';
      check(inside, Status::kFormat, source, ": the path '", name, "' leaves ", folder,
            " through a symbolic link");
    }
  }
  return path;
}

}  // namespace contrastive
