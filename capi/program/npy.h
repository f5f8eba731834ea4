// NumPy's .npy files: float32 matrices in C order, format version 1.0.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace contrastive::cli {

// The header for a matrix, always of the same length, so that the number of rows can be put in when
// it is known.
std::string npy_header(int64_t rows, int64_t columns);

// The rows of a file, one after the other. kExitData for anything but a two-dimensional
// little-endian float32 matrix in C order, and where the file's length is not what its header
// promises.
class NpyRows {
 public:
  explicit NpyRows(const std::string& path);
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  bool next(float* row) {
    return left_ > 0 && (read(row, 1), true);
  }  // `row` [columns()]; false at the end
  void read(float* into, int64_t rows);  // so many, of those that are left

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
