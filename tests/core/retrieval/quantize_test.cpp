// Golden values come from the real sentence-transformers and numpy (tests/golden/eval/make.py).
#include "core/retrieval/quantize.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>

#include "core/base/json.h"
#include "tests/core/retrieval/vectors.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::retrieval {
namespace {

const Json& golden() {
  static const Json all = read_json_file(fixtures() + "/eval_golden.json");
  return all["quantize"];
}

uint16_t half(float value) {
  uint16_t bits = 0;
  quantize_float16(&value, 1, &bits);
  return bits;
}

// The value of a binary16, by definition.
double value_of(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

TEST(QuantizeFloat16, EveryHalfAndEveryMidpointRoundsToTheNearestEven) {
  for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const double low = value_of(static_cast<uint16_t>(bits)),
                 high = value_of(static_cast<uint16_t>(bits + 1));
    const float middle = static_cast<float>((low + high) / 2);  // exact: one more bit
    ASSERT_EQ(half(static_cast<float>(low)), bits);
    ASSERT_EQ(half(static_cast<float>(-low)), bits | 0x8000);
    ASSERT_EQ(half(middle), bits % 2 == 0 ? bits : bits + 1);
    ASSERT_EQ(half(std::nextafterf(middle, 0.0f)), bits);
    ASSERT_EQ(half(std::nextafterf(middle, 1e9f)), bits + 1);
  }
}

TEST(QuantizeFloat16, OverflowAndSpecialValues) {
  EXPECT_EQ(half(65504.0f), 0x7bff);
  EXPECT_EQ(half(std::nextafterf(65520.0f, 0.0f)), 0x7bff);
  EXPECT_EQ(half(65520.0f), 0x7c00);
  EXPECT_EQ(half(-1e30f), 0xfc00);
  EXPECT_EQ(half(-std::numeric_limits<float>::infinity()), 0xfc00);
  EXPECT_EQ(half(1e-30f), 0);
  EXPECT_EQ(half(-0.0f), 0x8000);
  EXPECT_GT(half(std::nanf("")) & 0x7fff, 0x7c00);
}

TEST(Quantize, EqualsSentenceTransformersAndNumpy) {
  const auto values = golden()["embeddings"].get<std::vector<float>>(),
             sample = golden()["calibration"].get<std::vector<float>>();
  const int64_t d = golden()["dimension"], n = static_cast<int64_t>(values.size()) / d;
  std::vector<uint16_t> halves(values.size());
  quantize_float16(values.data(), n * d, halves.data());
  EXPECT_EQ(halves, golden()["float16"].get<std::vector<uint16_t>>());

  std::vector<int8_t> codes(values.size());
  quantize_int8(values.data(), n, d, calibrate_int8(values.data(), n, d), codes.data());
  EXPECT_EQ(codes, golden()["int8_own_range"].get<std::vector<int8_t>>());
  quantize_int8(values.data(), n, d,
                calibrate_int8(sample.data(), static_cast<int64_t>(sample.size()) / d, d),
                codes.data());
  EXPECT_EQ(codes, golden()["int8_calibrated"].get<std::vector<int8_t>>());

  std::vector<uint8_t> bits(n * ubinary_bytes(d));
  quantize_ubinary(values.data(), n, d, bits.data());
  EXPECT_EQ(bits, golden()["ubinary"].get<std::vector<uint8_t>>());
}

TEST(QuantizeInt8, ClampsOutsideTheCalibratedRange) {
  const std::vector<float> sample = {0, 5, 255, 5},
                           values = {-100, 4.9f, 0, 5, 254.9f, 6.1f, 1000, 1e30f};
  std::vector<int8_t> codes(values.size());
  quantize_int8(values.data(), 4, 2, calibrate_int8(sample.data(), 2, 2), codes.data());
  EXPECT_EQ(codes, (std::vector<int8_t>{-128, -128, -128, -128, 126, -127, 127, 127}));
}

TEST(QuantizeInt8, RefusesWhatHasNoRange) {
  const float bad[] = {1, 2, std::nanf(""), 4};
  int8_t codes[4];
  expect_error(Status::kArgument, "int8 calibration needs at least one embedding",
               [&] { calibrate_int8(bad, 0, 2); });
  expect_error(Status::kNumeric, "embedding 1 is nan in dimension 0",
               [&] { calibrate_int8(bad, 2, 2); });
  expect_error(Status::kNumeric, "embedding 1 is nan in dimension 0",
               [&] { quantize_int8(bad, 2, 2, {{0, 0}, {1, 1}}, codes); });
  expect_error(Status::kMismatch, "int8 calibration has 1 dimensions, the embeddings 2",
               [&] { quantize_int8(bad, 2, 2, {{0}, {1}}, codes); });
  const float good[] = {1, 2};
  expect_error(Status::kArgument, "int8 calibration of dimension 1 has start 0 and step",
               [&] { quantize_int8(good, 1, 2, {{0, 0}, {1, 0}}, codes); });
  expect_error(Status::kArgument, "int8 calibration of dimension 1 has start nan",
               [&] { quantize_int8(good, 1, 2, {{0, std::nanf("")}, {1, 1}}, codes); });
}

TEST(QuantizeUbinary, RowsAreFilledUpToBytes) {
  const float values[] = {1,  -1, 0,  2,  0,  0,  0,  0,      3,
                          -1, -1, -1, -1, -1, -1, -1, 1e-40f, std::nanf("")};
  uint8_t codes[4] = {9, 9, 9, 9};
  quantize_ubinary(values, 2, 9, codes);
  EXPECT_EQ(std::vector<int>(codes, codes + 4), (std::vector<int>{0x90, 0x80, 0x01, 0x00}));
}

}  // namespace
}  // namespace contrastive::retrieval
