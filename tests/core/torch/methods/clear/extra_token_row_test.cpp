#include "core/torch/methods/clear/extra_token_row.h"
#include "core/torch/nn/torch_encoder.h"

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include "tests/core/torch/run/toy.h"

namespace contrastive::methods {
namespace {

TEST(ExtraTokenRow, ComesAndGoesWithoutATrace) {
  const auto start = tiny_model();
  const auto larger = with_extra_row(*start, 3);
  EXPECT_EQ(larger->shape().vocab_size, start->shape().vocab_size + 1);
  const at::Tensor words = nn::trainable(larger->encoder()).weights().embeddings.words;
  EXPECT_TRUE(words.narrow(0, 0, words.size(0) - 1)
                  .equal(nn::trainable(start->encoder()).weights().embeddings.words));
  const at::Tensor row = words[words.size(0) - 1];
  EXPECT_GT(row.abs().max().item<double>(), 0);
  EXPECT_LT(row.abs().max().item<double>(), 0.1)
      << "initialised as the encoder's own rows: N(0, 0.02)";
  EXPECT_TRUE(row.equal(nn::trainable(with_extra_row(*start, 3)->encoder())
                            .weights()
                            .embeddings.words[words.size(0) - 1]));
  EXPECT_FALSE(row.equal(nn::trainable(with_extra_row(*start, 4)->encoder())
                             .weights()
                             .embeddings.words[words.size(0) - 1]));

  EXPECT_EQ(without_extra_row(*larger)->fingerprint(), start->fingerprint());
  nn::trainable(larger->encoder()).weights().embeddings.words.fill_(0);
  EXPECT_EQ(tiny_model()->fingerprint(), start->fingerprint()) << "its weights are its own";
}

}  // namespace
}  // namespace contrastive::methods
