#include "core/data/line_reader.h"

#include <algorithm>

#include "core/base/error.h"
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
  std::string buffer(static_cast<size_t>(kBlockBytes), '\0');
  std::string held;  // the beginning of a line whose end has not been read yet
  Line next;
  next.number = 1;
  bool dropping = false;  // in a line that is too long
  const auto finish = [&](std::string_view text) {
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    next.too_long = dropping || static_cast<int64_t>(text.size()) > kMaxLineBytes;
    next.text = next.too_long ? std::string_view() : text;
    line(next);
    ++next.number;
    dropping = false;
  };
  for (int64_t offset = 0; offset < bytes_;) {
    throw_if_cancelled(cancel_);
    const int64_t wanted = std::min(kBlockBytes, bytes_ - offset);
    check(read_up_to(file_.get(), buffer.data(), wanted, offset, path_) == wanted, Status::kCorrupt,
          path_, ": became shorter while it was read");
    std::string_view rest(buffer.data(), static_cast<size_t>(wanted));
    if (offset == 0) {
      refuse_foreign(rest, path_);
      if (rest.substr(0, 3) == "\xef\xbb\xbf") rest.remove_prefix(3), next.begin = 3;
    }
    offset += wanted;
    for (size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      if (held.empty()) {
        finish(rest.substr(0, end));
      } else {
        held.append(rest.substr(0, end));
        finish(held);
        held.clear();
      }
      rest.remove_prefix(end + 1);
      next.begin = offset - static_cast<int64_t>(rest.size());
    }
    held.append(rest);
    if (static_cast<int64_t>(held.size()) >
        kMaxLineBytes + 1) {  // one more than the limit, for a CR that belongs to the line end
      dropping = true;
      held.assign(1, ' ');
    }
  }
  if (!held.empty()) finish(held);
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

bool is_utf8(std::string_view text) {
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  const auto* const end = p + text.size();
  while (p < end) {
    if (*p < 0x80) {
      ++p;
      continue;
    }
    const int length = *p >= 0xc2 && *p <= 0xdf   ? 2
                       : (*p & 0xf0) == 0xe0      ? 3
                       : *p >= 0xf0 && *p <= 0xf4 ? 4
                                                  : 0;
    if (length == 0 || end - p < length) return false;
    for (int i = 1; i < length; ++i) {
      if ((p[i] & 0xc0) != 0x80) return false;
    }
    // The second byte shows overlong forms, surrogates, and code points above U+10FFFF.
    if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) || (*p == 0xf0 && p[1] < 0x90) ||
        (*p == 0xf4 && p[1] > 0x8f))
      return false;
    p += length;
  }
  return true;
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
