// Cuts a stream of bytes, from a file or a pipe, into lines. Knows only line ends, not what a line
// means.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace contrastive::data {

constexpr int64_t kMaxLineBytes = (int64_t{16} << 20) - 1;  // so that a length takes 24 bits

struct Line {
  std::string_view
      text;  // without its line end (LF or CR LF), and in the first line without a byte order mark
  int64_t number = 0;     // counted from 1
  int64_t begin = 0;      // the offset of `text` in the stream
  bool too_long = false;  // above kMaxLineBytes: `text` is empty
};

class LineSplitter {
 public:
  // Adds the next bytes of the stream. The texts of earlier lines become invalid.
  void feed(std::string_view bytes);
  // Call this at the end of the stream: what follows the last line end is a line, unless it is
  // empty.
  void end() { ended_ = true; }
  // The next line, or false if its end has not been fed. A line is returned as soon as it is too
  // long, before its end.
  bool next(Line& line);
  // The number of bytes that were fed and are not part of a returned line.
  size_t waiting() const { return buffer_.size() - next_; }

 private:
  std::string buffer_;
  size_t next_ = 0, searched_ = 0;   // in the buffer: the next line, and where to look for its end
  int64_t offset_ = 0, number_ = 0;  // of the buffer in the stream; of the last line
  bool dropping_ = false;            // in the rest of a line that was too long
  bool ended_ = false;
};

}  // namespace contrastive::data
