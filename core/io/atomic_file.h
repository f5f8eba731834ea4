// Writes files so that no reader, crash or power loss ever sees half of one. Every return value is
// checked, also that of close(). A full disk is kNoSpace; any other error of the system is kIo. For
// whole folders see atomic_folder.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/file.h"

namespace contrastive::io {

// A new file that must not exist yet. It is durable after finish(). Without finish() it is closed
// as it is.
class OutputFile {
 public:
  explicit OutputFile(std::string path);

  void write(std::string_view bytes);
  void finish();  // fsync and close
  const std::string& path() const { return path_; }
  int64_t bytes() const { return bytes_; }

 private:
  std::string path_;
  Descriptor file_;
  int64_t bytes_ = 0;
};

// Creates or replaces `path` through a temporary file (core/base/temporary.h).
void write_file_atomic(const std::string& path, std::string_view bytes);

}  // namespace contrastive::io
