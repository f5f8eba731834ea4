// A matrix whose rows are kept in int8 or bfloat16, laid out as core/cpu/narrow.h reads it. Made
// once, then only read.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/cpu/narrow.h"

namespace contrastive::encoder {

class NarrowMatrix {
 public:
  NarrowMatrix() = default;
  // int8 by row: a row's largest magnitude becomes 127, and one that holds NaN or infinity has the
  // scale NaN. bfloat16: to the nearest, ties to even. `values`: [out, in].
  static NarrowMatrix rounded(cpu::Narrow format, const float* values, int64_t out, int64_t in);

  cpu::Narrow format() const { return format_; }
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  const uint8_t* values() const { return memory_.get(); }
  int64_t stride() const { return stride_; }  // bytes from row to row
  const float* scales() const { return scales_.data(); }
  const int32_t* sums() const { return sums_.data(); }  // of each row's bytes

  // out[i] = the number at (row, i).
  void read_row(int64_t row, float* out) const;

 private:
  void round_to_int8(const float* values);
  void round_to_bfloat16(const float* values);

  cpu::Narrow format_ = cpu::Narrow::kInt8;
  int64_t rows_ = 0, columns_ = 0, stride_ = 0;
  std::shared_ptr<uint8_t> memory_;  // copies share it
  std::vector<float> scales_;
  std::vector<int32_t> sums_;
};

}  // namespace contrastive::encoder
