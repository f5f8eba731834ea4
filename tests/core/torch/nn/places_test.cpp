#include "core/torch/nn/places.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/encoder/relative_bias.h"

namespace contrastive::nn {
namespace {

constexpr int32_t kTokenIds[] = {5, 6, 7, 8, 9};
constexpr int64_t kEnds[] = {0, 3, 5};

Architecture two_heads() {
  Architecture a;
  a.hidden_size = 8;
  a.num_attention_heads = 2;
  a.num_hidden_layers = 2;
  return a;
}

Places places_of(const Architecture& a, const at::Tensor& table = {}) {
  const PackedTokens tokens{kTokenIds, nullptr, kEnds, 2};
  return Places(a, tokens, PaddedLayout({0, 3, 5}, at::kCPU), table, at::kCPU);
}

TEST(Places, WithoutPositionsInAttentionNothingIsAddedOrTurned) {
  const Places places = places_of(two_heads());
  const at::Tensor x = at::ones({5, 8});
  EXPECT_TRUE(places.rotate(x, 0).is_same(x));
  EXPECT_FALSE(places.bias(0).defined());
}

TEST(Places, EveryTokenTurnsByItsPlaceInItsText) {
  Architecture a = two_heads();
  a.rotary_base = 100;
  const at::Tensor turned = places_of(a).rotate(at::ones({5, 8}), 0);
  const double angles[] = {1, 0.1};  // of a head's two pairs, for each place
  const int64_t place[] = {0, 1, 2, 0, 1};
  for (int64_t token = 0; token < 5; ++token) {
    for (int64_t head = 0; head < 2; ++head) {
      for (int64_t pair = 0; pair < 2; ++pair) {
        const double angle = static_cast<double>(place[token]) * angles[pair];
        const int64_t column = head * 4 + pair;
        EXPECT_NEAR(turned[token][column].item<double>(), std::cos(angle) - std::sin(angle), 1e-5);
        EXPECT_NEAR(turned[token][column + 2].item<double>(), std::cos(angle) + std::sin(angle),
                    1e-5);
      }
    }
  }
}

TEST(Places, ACausalTokenSeesNoLaterOne) {
  Architecture a = two_heads();
  a.causal = true;
  const at::Tensor bias = places_of(a).bias(0);
  for (int64_t query = 0; query < 3; ++query) {
    for (int64_t key = 0; key < 3; ++key)
      EXPECT_EQ(bias[0][0][query][key].item<double>() < -1e29, key > query);
  }
  EXPECT_LT(bias[1][0][2][2].item<double>(), -1e29) << "padding";
}

TEST(Places, LocalLayersSeeTheirWindow) {
  Architecture a = two_heads();
  a.local = {false, true};
  a.window = 1;
  const Places places = places_of(a);
  EXPECT_EQ(places.bias(1)[0][0][0][1].item<double>(), 0);
  EXPECT_LT(places.bias(1)[0][0][0][2].item<double>(), -1e29);
  const at::Tensor global = places.bias(0);
  EXPECT_TRUE(!global.defined() || global[0][0][0][2].item<double>() == 0);
}

TEST(Places, DistancesHaveTheirBucketsNumber) {
  Architecture a = two_heads();
  a.relative_bias = encoder::RelativeBias::kBuckets;
  const at::Tensor table = at::arange(a.relative_buckets * 2, at::kFloat).view({-1, 2});
  const Places places = places_of(a);
  EXPECT_FALSE(places.bias(0).defined()) << "until the table is known";
  const at::Tensor bias = places.with(table).bias(0);
  for (int64_t query = 0; query < 3; ++query) {
    for (int64_t key = 0; key < 3; ++key) {
      const int64_t bucket =
          encoder::distance_bucket(key - query, a.relative_buckets, a.relative_distance);
      for (int64_t head = 0; head < 2; ++head)
        EXPECT_EQ(bias[0][head][query][key].item<double>(), table[bucket][head].item<double>());
    }
  }
}

}  // namespace
}  // namespace contrastive::nn
