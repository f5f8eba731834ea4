// Result files: never over an existing one without --force, never half-written under their own name, never over the input.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace contrastive::cli {

// Writes to "<path>.tmp-<pid>-<nanoseconds>" and renames in commit(); "-" is standard output. Without commit() nothing is left behind.
class OutputFile {
 public:
  // kExitUsage where `path` exists and not `force`, or is the same file as `input` ("" or "-" for none).
  OutputFile(const std::string& path, bool force, const std::string& input);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* data, size_t bytes);
  // Replaces bytes that were written before. Not for standard output, which is written in order: see seekable().
  void overwrite(int64_t offset, const void* data, size_t bytes);
  bool seekable() const { return path_ != "-"; }
  void commit();  // what was written is on the disk and has its name

 private:
  std::string path_, temporary_;
  std::FILE* file_ = nullptr;  // nullptr for standard output
};

// A small file, whole and atomically.
void write_text_file(const std::string& path, const std::string& text);
// Up to `limit` bytes of a file; kExitFiles or kExitData.
std::string read_text_file(const std::string& path, size_t limit = size_t{64} << 20);

// Whether a model can be saved at `path`: a folder that is not there yet, is empty or holds a model; else kExitUsage or kExitFiles.
void check_model_place(const std::string& path);

bool exists(const std::string& path);
bool same_file(const std::string& a, const std::string& b);
// "run.jsonl" -> "jsonl", in lower case; "" where there is none.
std::string extension_of(const std::string& path);

}  // namespace contrastive::cli
