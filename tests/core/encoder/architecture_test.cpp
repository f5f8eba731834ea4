#include "core/encoder/architecture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/expect_error.h"

namespace contrastive::encoder {
namespace {

TEST(Architecture, WhatIsNotStatedFollowsFromTheRest) {
  Architecture a;
  EXPECT_EQ(a.table_width(), 768);
  EXPECT_EQ(a.width_of_head(), 64);
  EXPECT_EQ(a.key_value_heads(), 12);
  EXPECT_DOUBLE_EQ(a.scale_of_attention(), 0.125);
  EXPECT_EQ(a.max_tokens(), 512);
  EXPECT_EQ(a.weight_set_count(), 12);
  a.embedding_size = 128;
  a.head_width = 32;
  a.num_key_value_heads = 4;
  a.attention_scale = 0.5;
  a.first_position = 2;
  EXPECT_EQ(a.table_width(), 128);
  EXPECT_EQ(a.query_width(), 12 * 32);
  EXPECT_EQ(a.key_width(), 4 * 32);
  EXPECT_DOUBLE_EQ(a.scale_of_attention(), 0.5);
  EXPECT_EQ(a.max_tokens(), 510);
}

TEST(Architecture, LocalLayersHaveTheirOwnWindowAndBase) {
  Architecture a;
  a.num_hidden_layers = 2;
  a.local = {false, true};
  a.window = 64;
  a.rotary_base = 10000;
  EXPECT_EQ(a.window_of(0), 0);
  EXPECT_EQ(a.window_of(1), 64);
  EXPECT_EQ(a.rotary_base_of(1), 10000);
  a.local_rotary_base = 500;
  EXPECT_EQ(a.rotary_base_of(0), 10000);
  EXPECT_EQ(a.rotary_base_of(1), 500);
}

TEST(Architecture, LayersMayShareTheirWeights) {
  Architecture a;
  a.num_hidden_layers = 4;
  a.weight_sets = {0, 0, 1, 0};
  EXPECT_EQ(a.weight_set(2), 1);
  EXPECT_EQ(a.weight_set(3), 0);
  EXPECT_EQ(a.weight_set_count(), 2);
}

TEST(Architecture, OnlyWhatChangesAVectorIsInTheTextForFingerprints) {
  const std::string base = Architecture().inference_text();
  const std::vector<std::function<void(Architecture&)>> training = {
      [](Architecture& a) { a.hidden_dropout_prob = 0.5; },
      [](Architecture& a) { a.initializer_range = 1; },
      [](Architecture& a) { a.trains_padding = true; },
      [](Architecture& a) { a.classifier = ClassifierForm::kDense; }};
  for (const auto& change : training) {
    Architecture a;
    change(a);
    EXPECT_EQ(a.inference_text(), base);
    EXPECT_NE(a, Architecture());
  }
  const std::vector<std::function<void(Architecture&)>> inference = {
      [](Architecture& a) { a.hidden_act = Activation::kRelu; },
      [](Architecture& a) { a.layer_norm_eps = std::nextafter(a.layer_norm_eps, 1); },
      [](Architecture& a) { a.local = {true, false}; },
      [](Architecture& a) { a.local = {false, true}; },
      [](Architecture& a) { a.norm_place = NormPlace::kBefore; },
      [](Architecture& a) { a.causal = true; }};
  std::set<std::string> texts{base};
  for (const auto& change : inference) {
    Architecture a;
    change(a);
    EXPECT_TRUE(texts.insert(a.inference_text()).second);
    EXPECT_NE(a, Architecture());
  }
}

TEST(Architecture, WhatFitsNoEncoderIsRefused) {
  const auto refused = [](const std::string& message,
                          const std::function<void(Architecture&)>& change) {
    Architecture a;
    change(a);
    expect_error(Status::kMismatch, message, [&] { check_architecture(a); });
  };
  EXPECT_NO_THROW(check_architecture(Architecture()));
  refused("num_attention_heads 7 does not divide hidden_size 768",
          [](Architecture& a) { a.num_attention_heads = 7; });
  refused("num_attention_heads 0", [](Architecture& a) { a.num_attention_heads = 0; });
  refused("num_key_value_heads 5", [](Architecture& a) { a.num_key_value_heads = 5; });
  refused("at least 1 is needed", [](Architecture& a) { a.num_hidden_layers = 0; });
  refused("how long a text may be", [](Architecture& a) { a.max_position_embeddings = 0; });
  refused("leaves no room", [](Architecture& a) { a.first_position = 511; });
  refused("a head has 3", [](Architecture& a) {
    a.rotary_base = 10000;
    a.head_width = 3;
  });
  refused("no projection joins them", [](Architecture& a) { a.embedding_size = 64; });
  refused("3 kinds of layers", [](Architecture& a) { a.local = {true, true, true}; });
  refused("the weights of 2 layers", [](Architecture& a) { a.weight_sets = {0, 0}; });
}

}  // namespace
}  // namespace contrastive::encoder
