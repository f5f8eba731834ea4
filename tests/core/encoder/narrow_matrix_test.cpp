#include "core/encoder/narrow_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/core/cpu/random_floats.h"

namespace contrastive::encoder {
namespace {

TEST(NarrowMatrix, ReadsBackWithinHalfAStep) {
  const auto at = [](int64_t i) { return static_cast<size_t>(i); };
  const int64_t in = 50, out = 4;
  const std::vector<float> values = cpu::random_floats(out * in, 5);
  const NarrowMatrix m = NarrowMatrix::rounded(cpu::Narrow::kInt8, values.data(), out, in);
  EXPECT_EQ(m.stride(), 64);
  std::vector<float> row(at(in));
  for (int64_t r = 0; r < out; ++r) {
    m.read_row(r, row.data());
    int32_t sum = 0;
    for (int64_t i = 0; i < in; ++i) {
      EXPECT_NEAR(row[at(i)], values[at(r * in + i)], 0.5001f * m.scales()[r]);
      sum += reinterpret_cast<const int8_t*>(m.values())[r * m.stride() + i];
    }
    EXPECT_EQ(m.sums()[r], sum);
    for (int64_t i = in; i < m.stride(); ++i) EXPECT_EQ(m.values()[r * m.stride() + i], 0);
  }
  // Rounds to the nearest, ties to even; NaN stays NaN.
  const float halves[] = {1.0f, -2.0f, 1.0f + 0x1p-8f, 1.0f + 3 * 0x1p-8f, std::nanf("")};
  NarrowMatrix::rounded(cpu::Narrow::kBfloat16, halves, 1, 5).read_row(0, row.data());
  EXPECT_EQ(row[0], 1.0f);
  EXPECT_EQ(row[1], -2.0f);
  EXPECT_EQ(row[2], 1.0f);
  EXPECT_EQ(row[3], 1.0f + 0x1p-6f);
  EXPECT_TRUE(std::isnan(row[4]));
}

}  // namespace
}  // namespace contrastive::encoder
