#include "core/torch/nn/cpu/training_batch.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace contrastive::nn {
namespace {

TEST(KernelsTrain, WhatBertIsMadeOf) {
  EXPECT_TRUE(kernels_train(Architecture()));
  const std::vector<std::function<void(Architecture&)>> beyond = {
      [](Architecture& a) { a.rotary_base = 10000; },
      [](Architecture& a) { a.norm = encoder::NormKind::kRms; },
      [](Architecture& a) { a.norm_place = encoder::NormPlace::kBefore; },
      [](Architecture& a) { a.relative_bias = encoder::RelativeBias::kAlibi; },
      [](Architecture& a) { a.causal = true; },
      [](Architecture& a) { a.gated = true; },
      [](Architecture& a) { a.num_key_value_heads = 4; },
      [](Architecture& a) { a.head_width = 32; },
      [](Architecture& a) { a.attention_scale = 1; },
      [](Architecture& a) { a.output_bias = false; },
      [](Architecture& a) { a.embedding_projection = true; },
      [](Architecture& a) { a.max_position_embeddings = 0; },
      [](Architecture& a) { a.drop_last = true; }};
  for (size_t i = 0; i < beyond.size(); ++i) {
    Architecture a;
    beyond[i](a);
    EXPECT_FALSE(kernels_train(a)) << i;
  }
}

TEST(TrainingBatch, CountsItsTextsAndTokens) {
  const TrainingBatch batch{{}, {0, 3, 3, 8}, {}};
  EXPECT_EQ(batch.texts(), 3);
  EXPECT_EQ(batch.tokens(), 8);
}

}  // namespace
}  // namespace contrastive::nn
