// Detects input files that are not text: programs, archives, files in another encoding.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace contrastive::cli {

class NonText {
 public:
  // Counts control characters other than white space and invalid UTF-8 bytes. Takes whole lines.
  void add(std::string_view line);
  // Warns about `path`, once, if more than one byte in a hundred is not text. Before the file has
  // `ended`, only after enough of it was read.
  void warn(const std::string& path, bool ended);

 private:
  int64_t bytes_ = 0, strange_ = 0;
  bool warned_ = false;
};

}  // namespace contrastive::cli
