// The safetensors format: its header, read strictly, and its writer. A header is trusted for nothing before it is checked: every offset, shape
// and type is compared with the file's real length, so that reading a tensor afterwards cannot leave the file. Reading the data itself is the
// business of tensor_reader.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/tensor.h"

namespace contrastive::io {

class OutputFile;

// One tensor as the header states it.
struct TensorEntry {
  std::string name;
  std::string dtype;           // "F32", "F16", "BF16", "F64", "I64", ...: as in the file
  std::vector<int64_t> shape;
  int64_t elements = 0;
  int64_t offset = 0;          // of its first byte in the file
  int64_t bytes = 0;

  bool is_float() const { return dtype == "F32" || dtype == "F16" || dtype == "BF16" || dtype == "F64"; }
};

// An open file with its checked header. The descriptor stays open, so that the file read is the file checked, whatever happens to its name.
class SafetensorsFile {
 public:
  // The errors of open_file, above 1 TB too; kFormat, kLimit or kCorrupt for a malformed header; kUnsupported for a type of element that the format does not define.
  explicit SafetensorsFile(std::string path);

  const std::string& path() const { return path_; }
  int descriptor() const { return file_.get(); }
  void read(char* into, int64_t bytes, int64_t offset) const;           // any thread; kIo, kCorrupt when the file became shorter
  int64_t bytes() const { return bytes_; }                              // of the whole file
  const std::vector<TensorEntry>& entries() const { return entries_; }  // in the order of their data
  const TensorEntry* find(std::string_view name) const;                 // nullptr when there is none
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

 private:
  void parse(std::string_view header, int64_t data_begin);
  void check_layout(int64_t data_begin) const;

  std::string path_;
  Descriptor file_;
  int64_t bytes_ = 0;
  std::vector<TensorEntry> entries_;
  std::map<std::string, std::string> metadata_;
};

// Writes tensors, sorted by name; "format": "pt" is added to the metadata, because
// transformers refuses a file without it.
void write_safetensors(OutputFile& file, const TensorMap& tensors, std::map<std::string, std::string> metadata = {});

}  // namespace contrastive::io
