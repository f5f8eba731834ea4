// NumPy's .npy files: matrices of little-endian float32 in C order.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/file.h"

namespace contrastive::io {

// Creates or replaces `path` atomically with `values` [rows, columns].
void write_npy(const std::string& path, const float* values, int64_t rows, int64_t columns);

// Opens a file and reads its shape. kFormat if it is not a two-dimensional matrix of little-endian
// float32 in C order, kCorrupt if its length does not match its header.
class NpyFile {
 public:
  explicit NpyFile(const std::string& path);
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  void read(float* into) const;  // [rows, columns]

 private:
  std::string path_;
  Descriptor file_;
  int64_t rows_ = 0, columns_ = 0, data_at_ = 0;
};

}  // namespace contrastive::io
