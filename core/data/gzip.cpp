#include "core/data/gzip.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/base/error.h"

namespace contrastive::data {
namespace {

constexpr size_t kBlock = size_t{1} << 18;
constexpr int64_t kMostBytes = int64_t{1} << 40;
constexpr int kGzipOnly = 16 + MAX_WBITS;  // zlib's way to ask for a gzip header

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }

 private:
  int fd_;
};

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

// A file without a name: nothing is left behind, not even by a kill.
int open_unnamed(const std::string& folder) {
  int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) {  // not every file system can do that
    std::string pattern = folder + "/contrastive-XXXXXX";
    fd = ::mkostemp(pattern.data(), O_CLOEXEC);
    if (fd >= 0) ::unlink(pattern.c_str());
  }
  check(fd >= 0, Status::kIo, folder, ": no temporary file can be made to unpack into (TMPDIR names the folder): ", std::strerror(errno));
  return fd;
}

class Inflater {
 public:
  Inflater() { check(inflateInit2(&stream_, kGzipOnly) == Z_OK, Status::kNoMemory, "no memory to unpack a gzip file"); }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
};

void write_fully(int fd, const unsigned char* bytes, size_t count, const std::string& path) {
  while (count > 0) {
    const ssize_t n = ::write(fd, bytes, count);
    if (n < 0 && errno == EINTR) continue;
    const Status status = errno == ENOSPC || errno == EDQUOT ? Status::kNoSpace : Status::kIo;
    check(n > 0, status, path, ": cannot be unpacked into ", temporary_folder(), " (TMPDIR names another folder): ", std::strerror(errno));
    bytes += n;
    count -= static_cast<size_t>(n);
  }
}

size_t read_block(int fd, std::vector<unsigned char>& into, int64_t offset, const std::string& path) {
  for (;;) {
    const ssize_t n = ::pread(fd, into.data(), into.size(), offset);
    if (n < 0 && errno == EINTR) continue;
    check(n >= 0, Status::kIo, path, ": cannot be read: ", std::strerror(errno));
    return static_cast<size_t>(n);
  }
}

}  // namespace

bool is_gzip(std::string_view head) { return head.substr(0, 2) == "\x1f\x8b"; }

int unpack_gzip(int fd, const std::string& path) {
  Descriptor out(open_unnamed(temporary_folder()));
  std::vector<unsigned char> packed(kBlock), plain(kBlock);
  Inflater inflater;
  z_stream& stream = inflater.stream();
  int64_t offset = 0, written = 0;
  bool inside = false;  // a member: between its header and its checksum
  for (size_t count = read_block(fd, packed, offset, path); count > 0; count = read_block(fd, packed, offset, path)) {
    offset += static_cast<int64_t>(count);
    stream.next_in = packed.data();
    stream.avail_in = static_cast<uInt>(count);
    while (stream.avail_in > 0) {
      // What follows the last member is padding where it is no further member: gzip itself ignores it.
      if (!inside && written > 0 && *stream.next_in == 0) return out.release();
      inside = true;
      stream.next_out = plain.data();
      stream.avail_out = static_cast<uInt>(plain.size());
      const int result = inflate(&stream, Z_NO_FLUSH);
      const size_t made = plain.size() - stream.avail_out;
      write_fully(out.get(), plain.data(), made, path);
      written += static_cast<int64_t>(made);
      check(written < kMostBytes, Status::kLimit, path, ": above the limit of 1 TB when it is unpacked");
      if (result == Z_STREAM_END) {
        inside = false;
        inflateReset(&stream);
        continue;
      }
      check(result == Z_OK || result == Z_BUF_ERROR, Status::kCorrupt, path, ": damaged gzip data before byte ",
            offset - static_cast<int64_t>(stream.avail_in), ": ", stream.msg == nullptr ? "unexpected end" : stream.msg);
    }
  }
  check(!inside, Status::kCorrupt, path, ": the gzip data end in the middle; was the file cut off?");
  return out.release();
}

}  // namespace contrastive::data
