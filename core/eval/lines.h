// Reads the lines of an evaluation's text file, with the position of each for messages.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace contrastive::eval {

struct TextLine {
  std::string_view
      text;  // without its line end (LF or CR LF); the first line also without a byte order mark
  std::string_view where;  // "file:line"
};

// Calls `use` for every line, including empty ones. A gzip file is unpacked. Errors of
// data::LineReader; kLimit with file and line for a line longer than data::kMaxLineBytes.
void for_each_line(const std::string& path, const std::function<void(const TextLine&)>& use);

}  // namespace contrastive::eval
