// Reads the lines of a regular file in blocks, never the whole file at once, and reads single lines
// again by their position. A gzip file is unpacked: positions are those of the unpacked bytes.
// Knows only bytes and line ends, not the meaning of a line.
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
      text;  // without its line end (LF or CR LF), and in the first line without a byte order mark
  int64_t number = 0;     // counted from 1
  int64_t begin = 0;      // the offset of `text` in the file
  bool too_long = false;  // above kMaxLineBytes: `text` is empty
};

class LineReader {
 public:
  // Throws the errors of open_file, and kLimit above 1 TB. Unpacks a gzip file (gzip.h), with the
  // errors of that. `cancel` is used for unpacking and for scan(), and must outlive this object.
  explicit LineReader(const std::string& path, const Cancel* cancel = nullptr);

  // Calls `line` for every line, in order. Throws kFormat for a UTF-16 file, or one in another
  // compressed format.
  void scan(const std::function<void(const Line&)>& line);
  // The bytes [begin, begin + length) of the file. Throws kCorrupt if it has become shorter. Any
  // thread may call this.
  std::string read(int64_t begin, int64_t length) const;
  // Throws kCorrupt if the length of the file has changed since it was opened.
  void check_length() const;
  const std::string& path() const { return path_; }
  int64_t bytes() const { return bytes_; }  // unpacked

 private:
  std::string path_;
  const Cancel* cancel_;
  Descriptor file_;
  int64_t bytes_ = 0;
};

// True if `text` is well-formed UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF).
bool is_utf8(std::string_view text);

// The first line that is not empty; "" if there is none. Throws the errors of LineReader.
std::string first_line(const std::string& path);

}  // namespace contrastive::data
