// A file of named tensors in any format, whose header has been read and checked: reading a tensor
// afterwards cannot leave the file. tensor_reader.h reads the data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"

namespace contrastive::io {

// The longest name of a tensor in bytes; kLimit above it. Names are parsed, listed and put into
// messages.
constexpr size_t kMaxTensorName = 1024;

// One tensor according to the header.
struct TensorEntry {
  std::string name;
  std::string dtype;  // "F32", "F16", "BF16", "F64", "I64", ...: the names of safetensors
  std::vector<int64_t> shape;
  int64_t elements = 0;
  int64_t offset = 0;  // of its first byte in the file
  int64_t bytes = 0;   // from there to the end of its last element
  std::vector<int64_t> strides =
      {};  // in elements, one for each dimension; empty: row-major without gaps

  bool is_float() const {
    return dtype == "F32" || dtype == "F16" || dtype == "BF16" || dtype == "F64";
  }
};

// The size of one element in bytes; 0 for an unknown type.
int64_t bytes_of(std::string_view dtype);

// The descriptor stays open, so that the file that is read is the file that was checked, even if it
// is renamed or replaced.
class TensorFile {
 public:
  virtual ~TensorFile() = default;
  TensorFile(const TensorFile&) = delete;
  TensorFile& operator=(const TensorFile&) = delete;

  const std::string& path() const { return path_; }
  int descriptor() const { return file_.get(); }
  void read(char* into, int64_t bytes,
            int64_t offset) const;          // any thread; kIo, kCorrupt if the file became shorter
  int64_t bytes() const { return bytes_; }  // of the whole file
  const std::vector<TensorEntry>& entries() const { return entries_; }
  const TensorEntry* find(std::string_view name) const;  // nullptr if it is missing
  // Checks the bytes of this tensor against the checksum in the file, if there is one: kCorrupt.
  // Any thread may call this.
  virtual void verify(const TensorEntry&) const {}

 protected:
  explicit TensorFile(std::string path);  // errors of open_file; kLimit above 1 TB

  std::vector<TensorEntry> entries_;

 private:
  std::string path_;
  Descriptor file_;
  int64_t bytes_ = 0;
};

}  // namespace contrastive::io
