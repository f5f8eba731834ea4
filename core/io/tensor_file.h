// A file of named tensors whose header has been read and checked, of whatever format: reading a
// tensor afterwards cannot leave the file. Reading the data itself is the business of
// tensor_reader.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"

namespace contrastive::io {

// Bytes of a tensor's name: above it kLimit. Names are taken apart, listed and put into messages.
constexpr size_t kMaxTensorName = 1024;

// One tensor as the header states it.
struct TensorEntry {
  std::string name;
  std::string dtype;  // "F32", "F16", "BF16", "F64", "I64", ...: as safetensors names them
  std::vector<int64_t> shape;
  int64_t elements = 0;
  int64_t offset = 0;  // of its first byte in the file
  int64_t bytes = 0;   // from there to the end of its last element
  std::vector<int64_t> strides =
      {};  // in elements, one for each dimension; empty: row-major and without gaps

  bool is_float() const {
    return dtype == "F32" || dtype == "F16" || dtype == "BF16" || dtype == "F64";
  }
};

// Bytes of one element; 0 for a type that is not known.
int64_t bytes_of(std::string_view dtype);

// The descriptor stays open, so that the file read is the file checked, whatever happens to its
// name.
class TensorFile {
 public:
  virtual ~TensorFile() = default;
  TensorFile(const TensorFile&) = delete;
  TensorFile& operator=(const TensorFile&) = delete;

  const std::string& path() const { return path_; }
  int descriptor() const { return file_.get(); }
  void read(char* into, int64_t bytes,
            int64_t offset) const;  // any thread; kIo, kCorrupt when the file became shorter
  int64_t bytes() const { return bytes_; }  // of the whole file
  const std::vector<TensorEntry>& entries() const { return entries_; }
  const TensorEntry* find(std::string_view name) const;  // nullptr when there is none
  // Compares the bytes of this tensor with the checksum that the file holds of them, where it holds
  // one: kCorrupt. Any thread.
  virtual void verify(const TensorEntry&) const {}

 protected:
  explicit TensorFile(std::string path);  // the errors of open_file, above 1 TB too

  std::vector<TensorEntry> entries_;

 private:
  std::string path_;
  Descriptor file_;
  int64_t bytes_ = 0;
};

}  // namespace contrastive::io
