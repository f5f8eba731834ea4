// The reductions on small numbers worked out by hand, both forms, and the names.
#include "core/nn/pooling.h"

#include <ATen/ops/from_blob.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"

namespace contrastive::nn {
namespace {

// Two texts of 3 and 2 tokens, 2 wide.
const std::vector<float> kStates{1, -1, 2, -2, 6, -6, 10, 20, -30, 40};
const std::vector<int64_t> kOffsets{0, 3, 5};

void expect_reduced(Reduce reduce, const uint8_t* keep, const std::vector<float>& expected) {
  std::vector<float> out(4, NAN);
  reduce_tokens(reduce, kStates.data(), 2, kOffsets.data(), 2, keep, out.data());
  const at::Tensor states = at::from_blob(const_cast<float*>(kStates.data()), {5, 2});
  const at::Tensor tensor = reduce_tokens(reduce, states, kOffsets, keep).contiguous();
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(out[i], expected[i], 1e-5) << "rows, number " << i;
    EXPECT_NEAR(tensor.const_data_ptr<float>()[i], expected[i], 1e-5) << "tensor, number " << i;
  }
}

TEST(Pooling, ReducesAllTokens) {
  const float root = std::sqrt(3.0f), root2 = std::sqrt(2.0f);
  expect_reduced(Reduce::kCls, nullptr, {1, -1, 10, 20});
  expect_reduced(Reduce::kMean, nullptr, {3, -3, -10, 30});
  expect_reduced(Reduce::kMax, nullptr, {6, -1, 10, 40});
  expect_reduced(Reduce::kMeanSqrt, nullptr, {9 / root, -9 / root, -20 / root2, 60 / root2});
  expect_reduced(Reduce::kWeightedMean, nullptr, {23.0f / 6, -23.0f / 6, -50.0f / 3, 100.0f / 3});
  expect_reduced(Reduce::kLastToken, nullptr, {6, -6, -30, 40});
}

TEST(Pooling, LeavesTokensOut) {
  const uint8_t keep[] = {0, 1, 1, 1, 0};
  expect_reduced(Reduce::kCls, keep, {1, -1, 10, 20});  // always the first token
  expect_reduced(Reduce::kMean, keep, {4, -4, 10, 20});
  expect_reduced(Reduce::kMax, keep, {6, -2, 10, 20});
  expect_reduced(Reduce::kWeightedMean, keep, {22.0f / 5, -22.0f / 5, 10, 20});  // weights are positions, 2 and 3
  expect_reduced(Reduce::kLastToken, keep, {6, -6, 10, 20});
}

TEST(Pooling, ATextWithoutKeptTokensIsZero) {
  const uint8_t keep[] = {1, 1, 1, 0, 0};
  for (const Reduce reduce : {Reduce::kMean, Reduce::kMax, Reduce::kMeanSqrt, Reduce::kWeightedMean, Reduce::kLastToken}) {
    std::vector<float> out(4, NAN);
    reduce_tokens(reduce, kStates.data(), 2, kOffsets.data(), 2, keep, out.data());
    EXPECT_EQ(out[2], 0.0f);
    EXPECT_EQ(out[3], 0.0f);
    const at::Tensor states = at::from_blob(const_cast<float*>(kStates.data()), {5, 2});
    EXPECT_EQ(reduce_tokens(reduce, states, kOffsets, keep)[1].abs().sum().item<double>(), 0);
  }
}

TEST(Pooling, NamesGiveLayers) {
  EXPECT_EQ(parse_pooling("mean", 12).layers, std::vector<int64_t>{12});
  EXPECT_EQ(parse_pooling("last2", 12).layers, (std::vector<int64_t>{11, 12}));
  EXPECT_EQ(parse_pooling("first-last", 12).layers, (std::vector<int64_t>{1, 12}));
  EXPECT_EQ(parse_pooling("embed-last", 12).layers, (std::vector<int64_t>{0, 12}));
  const Pooling layer = parse_pooling("layer:7:max", 12);
  EXPECT_EQ(layer.layers, std::vector<int64_t>{7});
  EXPECT_EQ(layer.reduce, Reduce::kMax);
}

TEST(Pooling, AWrongNameIsAnsweredWithTheNearest) {
  try {
    parse_pooling("maen", 12);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::kArgument);
    EXPECT_THAT(error.message(), testing::HasSubstr("did you mean 'mean'"));
  }
  for (const char* name : {"layer:13:mean", "layer::mean", "layer:1:median", "layer:-1:cls", "layer:1", ""}) {
    EXPECT_THROW(parse_pooling(name, 12), Error) << name;
  }
}

}  // namespace
}  // namespace contrastive::nn
