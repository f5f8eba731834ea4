// NumPy's .npy files: float32 matrices in C order, format version 1.0.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace contrastive::cli {

// The header for a matrix, always of the same length, so that the number of rows can be put in when it is known.
std::string npy_header(int64_t rows, int64_t columns);

struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<float> values;  // [rows, columns]
};

// kExitData for anything but a two-dimensional little-endian float32 matrix in C order.
Matrix read_npy(const std::string& path);

}  // namespace contrastive::cli
