// Writing files so that a reader, a crash or a power loss never meets half of one. Every return
// value counts, close() included; a full disk is kNoSpace, anything else the system refuses is kIo.
// Whole folders are the business of atomic_folder.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/file.h"

namespace contrastive::io {

// A new file that must not exist yet. Durable once finish() has returned; without finish() it is
// closed as it stands.
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

// Replaces `path`, or makes it, as core/base/temporary.h does it.
void write_file_atomic(const std::string& path, std::string_view bytes);

}  // namespace contrastive::io
