// Writing files so that a reader, a crash or a power loss never meets half of one. Every return value counts, close() included; a full disk is
// kNoSpace, anything else the system refuses is kIo. Whole folders are the business of atomic_folder.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace contrastive::io {

// A new file that must not exist yet. Durable once finish() has returned; without finish() it is closed as it stands.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view bytes);
  void finish();  // fsync and close
  const std::string& path() const { return path_; }
  int64_t bytes() const { return bytes_; }

 private:
  std::string path_;
  int descriptor_ = -1;
  int64_t bytes_ = 0;
};

// Replaces `path`, or makes it: written beside it under another name, made durable, renamed over it.
void write_file_atomic(const std::string& path, std::string_view bytes);

// Makes the names of a folder durable (fsync of the folder itself).
void sync_folder(const std::string& path);

// "/a/b" -> {"/a", "b"}; "b" -> {".", "b"}.
std::string parent_folder(const std::string& path);
std::string base_name(const std::string& path);

// Throws kNoSpace or kIo with `path`, `what` and the text of `error` (an errno).
[[noreturn]] void fail_system(const std::string& path, const std::string& what, int error);

}  // namespace contrastive::io
