// A matrix whose rows are stored in int8 or bfloat16, in the layout of core/cpu/narrow.h.
// Immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/cpu/narrow.h"

namespace contrastive::encoder {

class NarrowMatrix {
 public:
  NarrowMatrix() = default;
  // Rounds `values` [out, in]. int8: scales each row so that its largest magnitude becomes 127; a
  // row with NaN or infinity gets the scale NaN. bfloat16: to nearest, ties to even.
  static NarrowMatrix rounded(cpu::Narrow format, const float* values, int64_t out, int64_t in);

  cpu::Narrow format() const { return format_; }
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  const uint8_t* values() const { return memory_.get(); }
  int64_t stride() const { return stride_; }  // bytes from row to row
  const float* scales() const { return scales_.data(); }
  const int32_t* sums() const { return sums_.data(); }  // of the bytes of each row

  // Writes row `row` as floats to `out`.
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
