#include "core/encoder/pooling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/core/base/expect_error.h"

namespace contrastive::encoder {
namespace {

using Floats = std::vector<float>;

// Two texts, of three tokens and of one, two numbers wide.
const Floats kStates = {1, -1, 5, 2, 3, 8, 7, 9};
constexpr int64_t kTextOffsets[] = {0, 3, 4};

Floats reduced(Reduce reduce, const uint8_t* keep = nullptr, const Floats& states = kStates) {
  Floats out(4, std::numeric_limits<float>::quiet_NaN());
  reduce_tokens(reduce, states.data(), 2, kTextOffsets, 2, keep, out.data());
  return out;
}

void expect_near(const Floats& got, const Floats& expected) {
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-6) << i;
}

TEST(ReduceTokens, ByEveryFormula) {
  EXPECT_EQ(reduced(Reduce::kCls), (Floats{1, -1, 7, 9}));
  EXPECT_EQ(reduced(Reduce::kLastToken), (Floats{3, 8, 7, 9}));
  EXPECT_EQ(reduced(Reduce::kMax), (Floats{5, 8, 7, 9}));
  expect_near(reduced(Reduce::kMean), {3, 3, 7, 9});
  const float root = std::sqrt(3.0f);
  expect_near(reduced(Reduce::kMeanSqrt), {9 / root, 9 / root, 7, 9});
  expect_near(reduced(Reduce::kWeightedMean),
              {(1 + 2 * 5 + 3 * 3) / 6.0f, (-1 + 4 + 24) / 6.0f, 7, 9});
}

TEST(ReduceTokens, TokensMayBeLeftOut) {
  const uint8_t keep[] = {0, 1, 1, 0};
  EXPECT_EQ(reduced(Reduce::kCls, keep), (Floats{5, 2, 7, 9}));  // without any the first stays
  EXPECT_EQ(reduced(Reduce::kLastToken, keep), (Floats{3, 8, 0, 0}));
  EXPECT_EQ(reduced(Reduce::kMax, keep), (Floats{5, 8, 0, 0}));
  expect_near(reduced(Reduce::kMean, keep), {4, 5, 0, 0});
}

TEST(ReduceTokens, NotANumberReachesItsVector) {
  Floats states = kStates;
  states[2] = std::numeric_limits<float>::quiet_NaN();
  for (const Reduce reduce : {Reduce::kMax, Reduce::kMean, Reduce::kWeightedMean}) {
    const Floats got = reduced(reduce, nullptr, states);
    EXPECT_TRUE(std::isnan(got[0])) << static_cast<int>(reduce);
    EXPECT_FALSE(std::isnan(got[1])) << static_cast<int>(reduce);
    EXPECT_EQ(got[3], 9);
  }
}

TEST(ParsePooling, NamesLayers) {
  for (const std::string& name : pooling_names()) {
    if (name.find(':') != std::string::npos) continue;  // a form, not a name
    EXPECT_EQ(parse_pooling(name, 12).name, name);
  }
  EXPECT_EQ(parse_pooling("mean", 12).layers, std::vector<int64_t>{12});
  EXPECT_EQ(parse_pooling("last2", 12).layers.size(), 2u);
  EXPECT_EQ(parse_pooling("layer:0:max", 12).layers, std::vector<int64_t>{0});
  EXPECT_EQ(parse_pooling("layer:12:cls", 12).reduce, Reduce::kCls);
  test::expect_error(Status::kArgument, "mean", [] { parse_pooling("maen", 12); });
  for (const char* name : {"layer:13:mean", "layer::mean", "layer:1:min", "layer:-1:mean",
                           "layer:1", "layer:99999999999999999999:mean"}) {
    test::expect_error(Status::kArgument, "to 12", [&] { parse_pooling(name, 12); });
  }
}

}  // namespace
}  // namespace contrastive::encoder
