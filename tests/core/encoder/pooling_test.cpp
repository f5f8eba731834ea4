// The reductions on small numbers that were computed separately, and the names.
#include "core/encoder/pooling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/base/json.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::encoder {
namespace {

// Two texts of 3 and 2 tokens, 2 wide.
const std::vector<float> kStates{1, -1, 2, -2, 6, -6, 10, 20, -30, 40};
const std::vector<int64_t> kOffsets{0, 3, 5};

std::vector<float> reduced(Reduce reduce, const std::vector<float>& states,
                           const std::vector<int64_t>& offsets, const uint8_t* keep) {
  std::vector<float> out((offsets.size() - 1) * 2, NAN);
  reduce_tokens(reduce, states.data(), 2, offsets.data(), static_cast<int64_t>(offsets.size()) - 1,
                keep, out.data());
  return out;
}

void expect_reduced(Reduce reduce, const uint8_t* keep, const std::vector<float>& expected) {
  const std::vector<float> out = reduced(reduce, kStates, kOffsets, keep);
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(out[i], expected[i], 1e-5) << "number " << i;
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
  expect_reduced(Reduce::kCls, keep, {2, -2, 10, 20});
  expect_reduced(Reduce::kMean, keep, {4, -4, 10, 20});
  expect_reduced(Reduce::kMax, keep, {6, -2, 10, 20});
  expect_reduced(Reduce::kWeightedMean, keep,
                 {22.0f / 5, -22.0f / 5, 10, 20});  // weights are positions, 2 and 3
  expect_reduced(Reduce::kLastToken, keep, {6, -6, 10, 20});
}

TEST(Pooling, ATextWithoutKeptTokensIsZero) {
  const uint8_t keep[] = {1, 1, 1, 0, 0};
  expect_reduced(Reduce::kCls, keep, {1, -1, 10, 20});  // except its first token
  expect_reduced(Reduce::kMean, keep, {3, -3, 0, 0});
  expect_reduced(Reduce::kMax, keep, {6, -1, 0, 0});
  expect_reduced(Reduce::kLastToken, keep, {6, -6, 0, 0});
}

TEST(Pooling, ReducesThePublishedStates) {
  const Json published = read_json_file(fixtures() + "/vectors.json").at("pooling");
  std::vector<float> last, before;
  std::vector<uint8_t> keep;
  std::vector<int64_t> offsets = {0};
  for (size_t text = 0; text < 2; ++text) {
    for (size_t t = 0; t < published.at("last").at(text).size(); ++t) {
      for (size_t h = 0; h < 2; ++h) {
        last.push_back(published.at("last").at(text).at(t).at(h).get<float>());
        before.push_back(published.at("second_last").at(text).at(t).at(h).get<float>());
      }
      keep.push_back(published.at("mask").at(text).at(t).get<uint8_t>());
    }
    offsets.push_back(static_cast<int64_t>(keep.size()));
  }
  const auto of = [&](Reduce reduce, const std::vector<float>& states) {
    return reduced(reduce, states, offsets, keep.data());
  };
  const std::vector<float> cls = of(Reduce::kCls, last), mean = of(Reduce::kMean, last),
                           other = of(Reduce::kMean, before), max = of(Reduce::kMax, last),
                           root = of(Reduce::kMeanSqrt, last);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(cls[i], published.at("cls").at(i / 2).at(i % 2).get<float>()) << i;
    EXPECT_NEAR(mean[i], published.at("mean").at(i / 2).at(i % 2).get<double>(), 1e-6) << i;
    EXPECT_NEAR((mean[i] + other[i]) / 2,
                published.at("mean_last2").at(i / 2).at(i % 2).get<double>(), 1e-6)
        << i;
  }
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(max[i], published.at("max_row0").at(i).get<float>()) << i;
    EXPECT_NEAR(root[i], published.at("mean_sqrt_len_row0").at(i).get<double>(), 1e-6) << i;
    EXPECT_EQ(max[2 + i], 0) << "no token is kept";
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
  expect_error(Status::kArgument, "did you mean 'mean'", [&] { parse_pooling("maen", 12); });
  for (const char* name :
       {"layer:13:mean", "layer::mean", "layer:1:median", "layer:-1:cls", "layer:1", ""}) {
    expect_error(Status::kArgument, cat("pooling '", name, "'"), [&] { parse_pooling(name, 12); });
  }
}

}  // namespace
}  // namespace contrastive::encoder
