// How much of a file is no text: what tells a program, an archive or a file in another encoding
// from texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace contrastive::cli {

class NonText {
 public:
  // Whole lines: control characters other than white space, and bytes that are no UTF-8, are
  // counted.
  void add(std::string_view line);
  // Warns of `path`, once, when more than one byte in a hundred is no text. Asked for in between,
  // only after enough of the file.
  void warn(const std::string& path, bool ended);

 private:
  int64_t bytes_ = 0, strange_ = 0;
  bool warned_ = false;
};

}  // namespace contrastive::cli
