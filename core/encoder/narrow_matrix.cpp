#include "core/encoder/narrow_matrix.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

#include "core/base/checked.h"

namespace contrastive::encoder {

namespace {
constexpr std::align_val_t kCacheLine{64};
}

NarrowMatrix NarrowMatrix::rounded(cpu::Narrow format, const float* values, int64_t out,
                                   int64_t in) {
  NarrowMatrix m;
  m.format_ = format;
  m.rows_ = out;
  m.columns_ = in;
  m.stride_ = cpu::row_bytes(format, in);
  const auto bytes = static_cast<size_t>((Size(out, "rows of weights") * m.stride_).value());
  m.memory_.reset(static_cast<uint8_t*>(::operator new(std::max<size_t>(bytes, 64), kCacheLine)),
                  [](uint8_t* memory) { ::operator delete(memory, kCacheLine); });
  std::memset(m.memory_.get(), 0, bytes);
  switch (format) {
    case cpu::Narrow::kInt8: m.round_to_int8(values); break;
    case cpu::Narrow::kBfloat16: m.round_to_bfloat16(values); break;
  }
  return m;
}

void NarrowMatrix::round_to_int8(const float* values) {
  scales_.resize(static_cast<size_t>(rows_));
  sums_.resize(static_cast<size_t>(rows_));
  for (int64_t row = 0; row < rows_; ++row) {
    const float* from = values + row * columns_;
    float largest = 0;
    bool finite = true;
    for (int64_t i = 0; i < columns_; ++i) {
      largest = std::max(largest, std::fabs(from[i]));
      finite = finite && std::isfinite(from[i]);
    }
    scales_[static_cast<size_t>(row)] =
        finite ? largest * (1.0f / 127.0f) : std::numeric_limits<float>::quiet_NaN();
    if (!finite || largest <= 1e-30f) continue;  // zeros
    auto* to = reinterpret_cast<int8_t*>(memory_.get() + row * stride_);
    const float inverse = 127.0f / largest;
    int32_t sum = 0;
    for (int64_t i = 0; i < columns_; ++i) {
      to[i] = static_cast<int8_t>(std::clamp(std::nearbyint(from[i] * inverse), -127.0f, 127.0f));
      sum += to[i];
    }
    sums_[static_cast<size_t>(row)] = sum;
  }
}

void NarrowMatrix::round_to_bfloat16(const float* values) {
  for (int64_t row = 0; row < rows_; ++row) {
    auto* to = reinterpret_cast<uint16_t*>(memory_.get() + row * stride_);
    for (int64_t i = 0; i < columns_; ++i) {
      const float value = values[row * columns_ + i];
      uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof(bits));
      const bool nan =
          (bits & 0x7fffffffu) > 0x7f800000u;  // NaN: its fraction must not be rounded to 0
      to[i] = static_cast<uint16_t>(nan ? bits >> 16 | 0x40u
                                        : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
    }
  }
}

void NarrowMatrix::read_row(int64_t row, float* out) const {
  const uint8_t* from = memory_.get() + row * stride_;
  if (format_ == cpu::Narrow::kInt8) {
    const float scale = scales_[static_cast<size_t>(row)];
    const auto* bytes = reinterpret_cast<const int8_t*>(from);
    for (int64_t i = 0; i < columns_; ++i) out[i] = scale * static_cast<float>(bytes[i]);
    return;
  }
  for (int64_t i = 0; i < columns_; ++i) {
    uint16_t half = 0;
    std::memcpy(&half, from + 2 * i, sizeof(half));
    const uint32_t bits = uint32_t{half} << 16;
    std::memcpy(out + i, &bits, sizeof(bits));
  }
}

}  // namespace contrastive::encoder
