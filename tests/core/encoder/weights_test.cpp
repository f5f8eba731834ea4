#include "core/encoder/weights.h"

#include <ATen/TensorOperators.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/torch/nn/trainable_encoder.h"
#include "tests/core/torch/nn/sample_encoder.h"

namespace contrastive::nn {

using namespace encoder;  // nn's own names come first
namespace {

TEST(TrainableEncoder, NamesAndShapesAreHuggingFaces) {
  const TrainableEncoder encoder = TrainableEncoder::random(sample_options(), 1, true);
  const auto named = encoder.named_parameters();
  ASSERT_EQ(named.size(), 5U + 3U * 16U + 2U);
  EXPECT_EQ(named.front().first, "embeddings.word_embeddings.weight");
  EXPECT_EQ(named[5].first, "encoder.layer.0.attention.self.query.weight");
  EXPECT_EQ(named.back().first, "pooler.dense.bias");
}

}  // namespace
}  // namespace contrastive::nn
