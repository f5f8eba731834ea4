#include "core/retrieval/quantize.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/error.h"

namespace contrastive::retrieval {
namespace {

uint16_t half_of(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);  // NaN
  if (magnitude >= 0x477ff000u)
    return static_cast<uint16_t>(sign | 0x7c00u);  // 65,520 and above round to infinity
  if (magnitude < 0x38800000u) {
    // Below 2^-14: adding 0.5 makes the processor round at the place of the last bit of a denormal
    // half (2^-24).
    float absolute = 0;
    std::memcpy(&absolute, &magnitude, sizeof absolute);
    const float shifted = absolute + 0.5f;
    uint32_t rounded = 0;
    std::memcpy(&rounded, &shifted, sizeof rounded);
    return static_cast<uint16_t>(sign | (rounded - 0x3f000000u));
  }
  const uint32_t odd = magnitude >> 13 & 1u;  // ties go to the even neighbour
  return static_cast<uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
}

void check_matrix(const void* values, int64_t n, int64_t d, const void* out) {
  check(n >= 0 && d >= 1, Status::kArgument, "embeddings of shape [", n, ", ", d, "]");
  check((values != nullptr && out != nullptr) || n == 0, Status::kArgument,
        "embeddings or codes is NULL");
}

void check_finite(float value, int64_t row, int64_t column) {
  if (!std::isfinite(value))
    fail(Status::kNumeric, "embedding ", row, " is ", value, " in dimension ", column,
         ": int8 needs finite values");
}

}  // namespace

void quantize_float16(const float* values, int64_t count, uint16_t* halves) {
  check(count >= 0, Status::kArgument, "count is ", count);
  check((values != nullptr && halves != nullptr) || count == 0, Status::kArgument,
        "values or halves is NULL");
  for (int64_t i = 0; i < count; ++i) halves[i] = half_of(values[i]);
}

Int8Calibration calibrate_int8(const float* sample, int64_t n, int64_t d) {
  check_matrix(sample, n, d, sample);
  check(n >= 1, Status::kArgument, "int8 calibration needs at least one embedding");
  Int8Calibration calibration{{sample, sample + d},
                              {sample, sample + d}};  // step holds the largest value until the end
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < d; ++j) {
      const float value = sample[i * d + j];
      check_finite(value, i, j);
      calibration.start[j] = std::min(calibration.start[j], value);
      calibration.step[j] = std::max(calibration.step[j], value);
    }
  }
  for (int64_t j = 0; j < d; ++j) {
    const float step = (calibration.step[j] - calibration.start[j]) / 255.0f;
    calibration.step[j] = step == 0 ? 1.0f : step;
  }
  return calibration;
}

void quantize_int8(const float* values, int64_t n, int64_t d, const Int8Calibration& calibration,
                   int8_t* codes) {
  check_matrix(values, n, d, codes);
  check(static_cast<int64_t>(calibration.start.size()) == d &&
            static_cast<int64_t>(calibration.step.size()) == d,
        Status::kMismatch, "int8 calibration has ", calibration.start.size(),
        " dimensions, the embeddings ", d);
  for (int64_t j = 0; j < d; ++j) {
    check(std::isfinite(calibration.start[j]) && calibration.step[j] > 0, Status::kArgument,
          "int8 calibration of dimension ", j, " has start ", calibration.start[j], " and step ",
          calibration.step[j], ": a finite start and a step above 0 are needed");
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < d; ++j) {
      const float value = values[i * d + j];
      check_finite(value, i, j);
      const float steps = std::floor((value - calibration.start[j]) / calibration.step[j]);
      codes[i * d + j] = static_cast<int8_t>(std::clamp(steps, 0.0f, 255.0f) - 128.0f);
    }
  }
}

void quantize_ubinary(const float* values, int64_t n, int64_t d, uint8_t* codes) {
  check_matrix(values, n, d, codes);
  const int64_t bytes = ubinary_bytes(d);
  for (int64_t i = 0; i < n; ++i) {
    uint8_t* row = codes + i * bytes;
    std::fill_n(row, bytes, uint8_t{0});
    for (int64_t j = 0; j < d; ++j)
      row[j / 8] |= static_cast<uint8_t>((values[i * d + j] > 0) << (7 - j % 8));
  }
}

}  // namespace contrastive::retrieval
