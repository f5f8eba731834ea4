#include "core/base/file.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "core/base/error.h"

namespace contrastive {
namespace {

struct Descriptor {
  int value;
  explicit Descriptor(int fd) : value(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
};

bool has_mode(const std::string& path, mode_t type) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && (info.st_mode & S_IFMT) == type;
}

}  // namespace

bool path_exists(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0;
}

bool is_directory(const std::string& path) { return has_mode(path, S_IFDIR); }
bool is_regular_file(const std::string& path) { return has_mode(path, S_IFREG); }

std::string read_file(const std::string& path, int64_t max_bytes) {
  // O_NONBLOCK: opening a FIFO without a writer would block for ever otherwise. It changes nothing for regular files.
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.value < 0) {
    const Status status = errno == ENOENT || errno == ENOTDIR ? Status::kNotFound : Status::kIo;
    fail(status, path, ": cannot be opened: ", std::strerror(errno));
  }
  struct stat info{};
  check(::fstat(fd.value, &info) == 0, Status::kIo, path, ": ", std::strerror(errno));
  check(S_ISREG(info.st_mode), Status::kArgument, path, ": not a regular file");
  check(info.st_size <= max_bytes, Status::kLimit, path, ": ", info.st_size, " bytes, above the limit of ", max_bytes);
  std::string bytes(static_cast<size_t>(info.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::read(fd.value, &bytes[done], bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    check(n >= 0, Status::kIo, path, ": cannot be read: ", std::strerror(errno));
    check(n > 0, Status::kCorrupt, path, ": became shorter while it was read");
    done += static_cast<size_t>(n);
  }
  return bytes;
}

std::string join_inside(const std::string& folder, const std::string& name, const std::string& source) {
  check(name.size() <= 4096, Status::kFormat, source, ": a path of ", name.size(), " characters");
  check(name.find('\0') == std::string::npos, Status::kFormat, source, ": a path with a NUL character");
  check(name.empty() || name[0] != '/', Status::kFormat, source, ": the path '", name, "' is absolute; it must stay inside ", folder);
  std::string path = folder;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    check(part != "..", Status::kFormat, source, ": the path '", name, "' leaves ", folder);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    path += "/" + part;
    // A folder that is a link could lead anywhere; a file that is a link is how download caches store their blobs.
    struct stat info{};
    if (::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode) && is_directory(path)) {
      const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
      const std::unique_ptr<char, decltype(&std::free)> base(::realpath(folder.c_str(), nullptr), &std::free);
      const bool inside = real && base && std::strncmp(real.get(), base.get(), std::strlen(base.get())) == 0 && real.get()[std::strlen(base.get())] == '/';
      check(inside, Status::kFormat, source, ": the path '", name, "' leaves ", folder, " through a symbolic link");
    }
  }
  return path;
}

}  // namespace contrastive
