// The lines of an evaluation's text file, with where each stands, for messages.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace contrastive::eval {

struct TextLine {
  std::string_view
      text;  // without its line end (LF or CR LF), and the first one without a byte order mark
  std::string_view where;  // "file:line"
};

// Calls `use` for every line, empty ones too. A gzip file is read as what is in it. Errors of
// data::LineReader; kLimit with file and line for one of more than data::kMaxLineBytes.
void for_each_line(const std::string& path, const std::function<void(const TextLine&)>& use);

}  // namespace contrastive::eval
