// NumPy's .npy files: float32 matrices in C order, format version 1.0.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace contrastive::cli {

// The header for a matrix. Its length does not depend on the numbers, so it can be overwritten when
// the number of rows is known.
std::string npy_header(int64_t rows, int64_t columns);

// Reads a file row by row. kExitData if it is not a two-dimensional little-endian float32 matrix in
// C order, or if the file's length does not match its header.
class NpyRows {
 public:
  explicit NpyRows(const std::string& path);
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  // `row`: [columns()]. False at the end.
  bool next(float* row) { return left_ > 0 && (read(row, 1), true); }
  // Reads the next `rows` rows, at most as many as are left.
  void read(float* into, int64_t rows);

 private:
  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  int64_t rows_ = 0, columns_ = 0, left_ = 0;
};

struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<float> values;  // [rows, columns]
};

Matrix read_npy(const std::string& path);

}  // namespace contrastive::cli
