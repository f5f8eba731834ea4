// A decoder with an encoder's layers, for objectives that reconstruct a text from one vector
// (core/torch/methods/tsdae/README.md): causal attention, a block that attends to the vector only,
// the feed-forward block, and then the head of masked language modelling. It is thrown away after
// training.
//
// Its layers and embeddings are those of an nn::TrainableEncoder of BERT's family: either the
// encoder's own weights (a tied decoder) or a copy.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/torch/nn/trainable_encoder.h"
#include "core/torch/nn/layer.h"
#include "core/torch/nn/mlm_head.h"

namespace contrastive::nn {

// "" if a decoder of this shape computes the same as transformers' BertLMHeadModel; otherwise the
// feature that such a decoder lacks.
std::string no_decoder_because(const Architecture& shape);

class Decoder {
 public:
  // Makes fresh cross-attention blocks on the device of `layers`: matrices from N(0,
  // initializer_range), biases 0, norms 1 and 0, as a function of the seed. The weights of `layers`
  // are shared, not copied.
  Decoder(const TrainableEncoder& layers, MlmHead head, uint64_t seed);

  // The logits [tokens, vocabulary] of the token that follows each of `tokens`. `vectors` [texts,
  // hidden] are the sentence vectors.
  at::Tensor logits(const PackedTokens& tokens, const at::Tensor& vectors,
                    const Dropout& dropout) const;

  // The cross-attention blocks, named as in transformers:
  // "layer.0.crossattention.self.value.weight", ...; then the head's parameters.
  std::vector<std::pair<std::string, at::Tensor>> named_parameters() const;

 private:
  TrainableEncoder layers_;
  Architecture causal_;  // that of the layers, with causal attention
  MlmHead head_;
  std::vector<CrossWeights> cross_;  // [number of layers]
};

}  // namespace contrastive::nn
