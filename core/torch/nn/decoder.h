// A decoder with an encoder's layers, for objectives that rebuild a text from one vector
// (core/torch/methods/tsdae/README.md): causal attention, a block that looks at the vector alone,
// the feed-forward block; then the head of masked language modelling. Thrown away after training.
//
// Its layers and embeddings are those of an nn::TrainableEncoder of the family of BERT: the very
// weights that encode (a tied decoder), or a copy.
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

// "" where a decoder of this shape is what transformers' BertLMHeadModel computes; else what it has
// that such a decoder lacks.
std::string no_decoder_because(const Architecture& shape);

class Decoder {
 public:
  // Fresh blocks on the device of `layers`: matrices from N(0, initializer_range), biases 0, norms
  // 1 and 0. A function of the seed. The weights of `layers` are shared, not copied.
  Decoder(const TrainableEncoder& layers, MlmHead head, uint64_t seed);

  // logits [tokens, vocabulary] of the token that follows each of `tokens`, for which `vectors`
  // [texts, hidden] stand.
  at::Tensor logits(const PackedTokens& tokens, const at::Tensor& vectors,
                    const Dropout& dropout) const;

  // The blocks that look at the vectors, as transformers names them:
  // "layer.0.crossattention.self.value.weight", ...; then the head's.
  std::vector<std::pair<std::string, at::Tensor>> named_parameters() const;

 private:
  TrainableEncoder layers_;
  Architecture causal_;  // that of the layers, causal
  MlmHead head_;
  std::vector<CrossWeights> cross_;  // [layers]
};

}  // namespace contrastive::nn
