#include "core/io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "core/base/error.h"

namespace contrastive::io {

void fail_system(const std::string& path, const std::string& what, int error) {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  const std::string shown = path.size() <= 300 ? path : path.substr(0, 300) + "...";
  fail(full ? Status::kNoSpace : Status::kIo, shown, ": ", what, ": ", std::strerror(error));
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail_system(path_, "cannot be created", errno);
  // A umask that takes our own right to read what we write would make a model nobody can load.
  struct stat info{};
  if (::fstat(descriptor_, &info) == 0 && (info.st_mode & 0600) != 0600) ::fchmod(descriptor_, (info.st_mode & 0777) | 0600);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::write(std::string_view bytes) {
  bytes_ += static_cast<int64_t>(bytes.size());
  while (!bytes.empty()) {
    constexpr size_t kMost = size_t{1} << 30;  // Linux writes no more than 2 GB at once
    const ssize_t n = ::write(descriptor_, bytes.data(), std::min(bytes.size(), kMost));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail_system(path_, "cannot be written", n == 0 ? ENOSPC : errno);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

void OutputFile::finish() {
  if (::fsync(descriptor_) != 0) fail_system(path_, "cannot be made durable", errno);
  const int descriptor = descriptor_;
  descriptor_ = -1;  // close() gives the descriptor back even when it fails
  if (::close(descriptor) != 0 && errno != EINTR) fail_system(path_, "cannot be closed", errno);
}

void write_file_atomic(const std::string& path, std::string_view bytes) {
  static std::atomic<uint64_t> count{0};
  const std::string temporary = parent_folder(path) + "/." + base_name(path) + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(count++);
  try {
    OutputFile file(temporary);
    file.write(bytes);
    file.finish();
    if (::rename(temporary.c_str(), path.c_str()) != 0) fail_system(path, "cannot be replaced", errno);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_folder(parent_folder(path));
}

void sync_folder(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) fail_system(path, "cannot be opened", errno);
  // Some file systems cannot sync a folder and say EINVAL; there is nothing better to do there.
  const int error = ::fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
  ::close(descriptor);
  if (error != 0) fail_system(path, "cannot be made durable", error);
}

std::string parent_folder(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace contrastive::io
