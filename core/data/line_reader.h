// Lines of a regular file, read in blocks and never all at once, and single lines read back by
// their place. A gzip file is read as what is in it: places are those of the unpacked bytes. Knows
// bytes and line ends, nothing of what a line means.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/cancel.h"
#include "core/base/file.h"

namespace contrastive::data {

constexpr int64_t kMaxLineBytes = (int64_t{16} << 20) - 1;  // so that a length takes 24 bits

struct Line {
  std::string_view
      text;  // without its line end (LF or CR LF), and the first one without a byte order mark
  int64_t number = 0;     // from 1
  int64_t begin = 0;      // byte of the file at which `text` begins
  bool too_long = false;  // above kMaxLineBytes: `text` holds nothing
};

class LineReader {
 public:
  // The errors of open_file, kLimit above 1 TB. A gzip file is unpacked here (gzip.h), with the
  // errors of that. `cancel` is for the unpacking and for scan(), and lives as long as this.
  explicit LineReader(const std::string& path, const Cancel* cancel = nullptr);

  // Calls `line` with every line, in order. kFormat for a UTF-16 file, or one that is compressed in
  // another way.
  void scan(const std::function<void(const Line&)>& line);
  // The bytes [begin, begin + length) of the file; kCorrupt when it has become shorter. Any thread.
  std::string read(int64_t begin, int64_t length) const;
  // kCorrupt when the file has another length than when it was opened.
  void check_length() const;
  const std::string& path() const { return path_; }
  int64_t bytes() const { return bytes_; }  // unpacked

 private:
  std::string path_;
  const Cancel* cancel_;
  Descriptor file_;
  int64_t bytes_ = 0;
};

// True when `text` is well-formed UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF).
bool is_utf8(std::string_view text);

// Of the first line that is not empty; "" where there is none. The errors of LineReader.
std::string first_line(const std::string& path);

}  // namespace contrastive::data
