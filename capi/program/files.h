// Result files: never over an existing one without --force, never half-written under their own
// name, never over the input.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "core/base/temporary.h"

namespace contrastive::cli {

// Writes beside the path under a temporary's name, which it loses in commit(); "-" is standard
// output. Without commit() nothing is left behind, and what a killed process left there is removed
// by the next that writes to the path.
class OutputFile {
 public:
  // kExitUsage where `path` exists and not `force`, or is the same file as `input` ("" or "-" for
  // none).
  OutputFile(const std::string& path, bool force, const std::string& input);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* data, size_t bytes);
  // Replaces bytes that were written before. Not for standard output and pipes, which are written
  // in order: see seekable().
  void overwrite(int64_t offset, const void* data, size_t bytes);
  bool seekable() const { return temporary_ != nullptr; }
  void commit();  // what was written is on the disk and has its name

 private:
  std::string path_;
  std::unique_ptr<TemporaryFile> temporary_;  // none for what is written in place
  std::FILE* file_ = nullptr;                 // nullptr for standard output
};

// A small file, whole and atomically.
void write_text_file(const std::string& path, const std::string& text);
// Up to `limit` bytes of a regular file; kExitFiles, kExitData, kExitUsage for a FIFO or a device.
std::string read_text_file(const std::string& path, size_t limit = size_t{64} << 20);

// Opens as core/base/file.h does, with its errors as Failures. Texts may come from anything that
// can be read (a pipe, /dev/fd/63, a terminal); what else is read must be a regular file.
Descriptor open_regular_file(const std::string& path);
Descriptor open_texts(const std::string& path);
// A lock file, made where it is missing.
Descriptor open_lock(const std::string& path);
// A folder in $TMPDIR for as long as it is held.
std::unique_ptr<ScratchFolder> make_scratch_folder(const std::string& name);

// Whether a model can be saved at `path`: a folder that is not there yet, is empty or holds a
// model; else kExitUsage or kExitFiles.
void check_model_place(const std::string& path);

// Makes a folder and those above it.
void make_folders(const std::string& path);
void remove_folder(const std::string& path);
// Gives a file another name, durably; what has the name is replaced.
void move_file(const std::string& from, const std::string& to);

bool exists(const std::string& path);
// "run.jsonl" -> "jsonl", in lower case; "" where there is none.
std::string extension_of(const std::string& path);

}  // namespace contrastive::cli
