// Reads the lines of a regular file in blocks, never the whole file at once, and reads single lines
// again by their position. A gzip file is unpacked: positions are those of the unpacked bytes.
// Knows only bytes and line ends, not the meaning of a line.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/base/cancel.h"
#include "core/base/file.h"
#include "core/data/line_splitter.h"

namespace contrastive::data {

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

// The first line that is not empty; "" if all lines are empty. Throws the errors of LineReader.
std::string first_line(const std::string& path);

}  // namespace contrastive::data
