#include "core/data/gzip.h"

#include <fcntl.h>
#include <zlib.h>

#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/temporary.h"

namespace contrastive::data {
namespace {

constexpr size_t kBlock = size_t{1} << 18;
constexpr int64_t kMostBytes = int64_t{1} << 40;
constexpr int kGzipOnly = 16 + MAX_WBITS;  // zlib's value for requiring a gzip header

// Opens a file without a name, so that nothing remains if the process is killed.
Descriptor open_unnamed(const std::string& folder) {
  Descriptor file = create_unnamed_file(folder);
  if (file) return file;
  try {  // not every file system supports unnamed files
    const TemporaryFile named(folder + "/contrastive-unpacked");
    return Descriptor(::fcntl(named.descriptor(), F_DUPFD_CLOEXEC, 0));
  } catch (const Error& error) {
    fail(error.status(), folder,
         ": no temporary file can be made to unpack into (TMPDIR names the folder): ",
         error.what());
  }
}

class Inflater {
 public:
  Inflater() {
    check(inflateInit2(&stream_, kGzipOnly) == Z_OK, Status::kNoMemory,
          "no memory to unpack a gzip file");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
};

}  // namespace

bool is_gzip(std::string_view head) { return head.substr(0, 2) == "\x1f\x8b"; }

Descriptor unpack_gzip(const Descriptor& file, const std::string& path, const Cancel* cancel) {
  Descriptor out = open_unnamed(temporary_folder());
  const std::string target =
      cat(path, ", unpacked into ", temporary_folder(), " (TMPDIR names another folder)");
  std::vector<unsigned char> packed(kBlock), plain(kBlock);
  Inflater inflater;
  z_stream& stream = inflater.stream();
  int64_t offset = 0, written = 0;
  bool inside = false, after_member = false;  // inside: in a member, after its header
  const auto next_block = [&] {
    return read_up_to(file.get(), reinterpret_cast<char*>(packed.data()),
                      static_cast<int64_t>(packed.size()), offset, path);
  };
  for (int64_t count = next_block(); count > 0; count = next_block()) {
    offset += count;
    stream.next_in = packed.data();
    stream.avail_in = static_cast<uInt>(count);
    while (stream.avail_in > 0) {
      throw_if_cancelled(cancel);
      // Another member may follow. Many tools pad a file with zeros, which gzip itself ignores.
      if (after_member && *stream.next_in == 0) {
        ++stream.next_in, --stream.avail_in;
        continue;
      }
      after_member = false;
      inside = true;
      stream.next_out = plain.data();
      stream.avail_out = static_cast<uInt>(plain.size());
      const int result = inflate(&stream, Z_NO_FLUSH);
      const size_t made = plain.size() - stream.avail_out;
      write_all(out.get(), {reinterpret_cast<const char*>(plain.data()), made}, target);
      written += static_cast<int64_t>(made);
      check(written < kMostBytes, Status::kLimit, path,
            ": above the limit of 1 TB when it is unpacked");
      if (result == Z_STREAM_END) {
        inside = false;
        after_member = true;
        inflateReset(&stream);
        continue;
      }
      check(result == Z_OK || result == Z_BUF_ERROR, Status::kCorrupt, path,
            ": damaged gzip data before byte ", offset - static_cast<int64_t>(stream.avail_in),
            ": ", stream.msg == nullptr ? "unexpected end" : stream.msg);
    }
  }
  check(!inside, Status::kCorrupt, path,
        ": the gzip data end in the middle; was the file cut off?");
  return out;
}

}  // namespace contrastive::data
