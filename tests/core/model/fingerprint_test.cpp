#include "core/model/fingerprint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/sentence_encoder.h"
#include "core/torch/nn/torch_encoder.h"
#include "tests/core/model/encoding.h"

namespace contrastive::model {
namespace {

TEST(SentenceEncoder, TheFingerprintFollowsWhatDecidesAnEmbedding) {
  const auto encoder = SentenceEncoder::load(kModels + "bert_st");
  const std::string print = encoder->fingerprint();
  EXPECT_EQ(print.size(), 64U);
  const auto copy = encoder->snapshot();
  EXPECT_EQ(copy->fingerprint(), print);
  copy->set_pooling({"cls"});
  EXPECT_NE(copy->fingerprint(), print);
  const auto trained = encoder->snapshot();
  nn::trainable(trained->encoder()).weights().layers[0].output.bias.add_(1e-3);
  EXPECT_NE(trained->fingerprint(), print);
  EXPECT_EQ(encoder->fingerprint(), print);
}

}  // namespace
}  // namespace contrastive::model
