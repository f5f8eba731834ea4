// Reads and writes files. A result file never overwrites an existing file without --force, never
// overwrites the input, and gets its name only when it is complete.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "core/base/temporary.h"

namespace contrastive::cli {

// Writes a temporary file in the same folder, which commit() renames to the path; "-" is standard
// output. Without commit() the temporary is removed. If a process is killed, the next process that
// writes to the path removes its temporary.
class OutputFile {
 public:
  // kExitUsage if `path` exists without `force`, or is the same file as `input`. `input` is "" or
  // "-" if no file is read.
  OutputFile(const std::string& path, bool force, const std::string& input);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* data, size_t bytes);
  // Replaces bytes that were written before. Only if seekable(): standard output and pipes are not.
  void overwrite(int64_t offset, const void* data, size_t bytes);
  bool seekable() const { return temporary_ != nullptr; }
  void commit();  // syncs the file to the disk and gives it its name

 private:
  std::string path_;
  std::unique_ptr<TemporaryFile> temporary_;  // null if the output is written in place
  std::FILE* file_ = nullptr;                 // nullptr for standard output
};

// Writes a small file atomically.
void write_text_file(const std::string& path, const std::string& text);
// Reads a regular file of at most `limit` bytes. kExitFiles, kExitData, or kExitUsage for a FIFO or
// a device.
std::string read_text_file(const std::string& path, size_t limit = size_t{64} << 20);

// Open a file as core/base/file.h does, with its errors as Failures. Texts may come from anything
// readable (a pipe, /dev/fd/63, a terminal). All other input must be regular files.
Descriptor open_regular_file(const std::string& path);
Descriptor open_texts(const std::string& path);
// Opens a lock file, and creates it if it does not exist.
Descriptor open_lock(const std::string& path);
// A folder in $TMPDIR that is removed when the result is destroyed.
std::unique_ptr<ScratchFolder> make_scratch_folder(const std::string& name);

// Checks that a model can be saved at `path`: the folder does not exist, is empty, or holds a
// model. Otherwise kExitUsage or kExitFiles.
void check_model_place(const std::string& path);

// Creates a folder and its parents.
void make_folders(const std::string& path);
void remove_folder(const std::string& path);
// Renames a file durably. Replaces an existing file `to`.
void move_file(const std::string& from, const std::string& to);

bool exists(const std::string& path);
// "run.jsonl" -> "jsonl", in lower case; "" if there is no extension.
std::string extension_of(const std::string& path);

}  // namespace contrastive::cli
