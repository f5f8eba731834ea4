#include "core/data/line_reader.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/data/gunzip.h"
#include "core/data/gzip.h"

namespace contrastive::data {
namespace {

constexpr int64_t kBlockBytes = int64_t{1} << 20;
constexpr int64_t kMostFileBytes = int64_t{1} << 40;

// Reports files that users pass by mistake, by their type, so that the message can say what to do.
void refuse_foreign(std::string_view head, const std::string& path) {
  const auto begins = [&](std::string_view magic) { return head.substr(0, magic.size()) == magic; };
  const char* kind = nullptr;
  if (begins("\xfd"
             "7zXZ"))
    kind = "xz";
  if (begins("\x28\xb5\x2f\xfd")) kind = "zstd";
  if (begins("BZh")) kind = "bzip2";
  if (begins("PK\x03\x04")) kind = "zip";
  check(kind == nullptr, Status::kFormat, path, ": a ", kind == nullptr ? "" : kind,
        " file; unpack it first");
  check(!begins("\xff\xfe") && !begins("\xfe\xff"), Status::kFormat, path,
        ": a UTF-16 file; convert it to UTF-8 first");
}

}  // namespace

LineReader::LineReader(const std::string& path, const Cancel* cancel)
    : path_(path), cancel_(cancel), file_(open_file(path, FileUse::kRead, kMostFileBytes)) {
  char head[2];
  if (read_up_to(file_.get(), head, sizeof head, 0, path_) == static_cast<int64_t>(sizeof head) &&
      is_gzip({head, sizeof head})) {
    file_ = unpack_gzip(file_, path_, cancel);
  }
  bytes_ = file_size(file_, path_);
}

void LineReader::scan(const std::function<void(const Line&)>& line) {
  std::string block(static_cast<size_t>(kBlockBytes), '\0');
  LineSplitter lines;
  Line next;
  for (int64_t offset = 0; offset < bytes_;) {
    throw_if_cancelled(cancel_);
    const int64_t wanted = std::min(kBlockBytes, bytes_ - offset);
    check(read_up_to(file_.get(), block.data(), wanted, offset, path_) == wanted, Status::kCorrupt,
          path_, ": became shorter while it was read");
    const std::string_view bytes(block.data(), static_cast<size_t>(wanted));
    if (offset == 0) refuse_foreign(bytes, path_);
    offset += wanted;
    lines.feed(bytes);
    if (offset == bytes_) lines.end();
    while (lines.next(next)) line(next);
  }
}

std::string LineReader::read(int64_t begin, int64_t length) const {
  std::string text(static_cast<size_t>(length), '\0');
  check(read_up_to(file_.get(), text.data(), length, begin, path_) == length, Status::kCorrupt,
        path_, ": became shorter since it was opened");
  return text;
}

void LineReader::check_length() const {
  const int64_t now = file_size(file_, path_);
  check(now == bytes_, Status::kCorrupt, path_, ": had ", bytes_,
        " bytes when it was opened and has ", now,
        " now; a training file must not change during the run");
}

std::string first_line(const std::string& path) {
  LineReader reader(path);
  std::string first;
  reader.scan([&](const Line& line) {
    if (first.empty()) first = std::string(line.text);
  });
  return first;
}

}  // namespace contrastive::data
