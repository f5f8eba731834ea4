// The norms, the embedding block and one transformer layer with LibTorch operations:
// differentiable, on any device, for packed texts and every architecture.
#pragma once

#include <ATen/core/Tensor.h>

#include "core/encoder/packed_tokens.h"
#include "core/torch/nn/attention.h"
#include "core/torch/nn/dropout.h"
#include "core/torch/nn/lora.h"
#include "core/torch/nn/places.h"
#include "core/torch/nn/torch_weights.h"

namespace contrastive::nn {

// Normalizes over the last axis of x.
at::Tensor normalize(const Architecture& architecture, const TorchNorm& norm, const at::Tensor& x);

// [tokens, hidden]: words, types and positions summed, norm, dropout, projection; each only if the
// architecture has it.
at::Tensor embed_tokens(const Architecture& architecture, const TorchEmbeddingWeights& weights,
                        const PackedTokens& tokens, const Dropout& dropout);

// What all layers of one batch share.
struct LayerBatch {
  PaddedLayout layout;
  DropoutMasks masks;
  Places places;
};

// What a decoder's layer has after its attention: cross-attention to one vector for each text. With
// a single key the attention weight is 1 for any queries and keys, so these are left out.
struct CrossWeights {
  TorchLinear value;   // [heads * head width, hidden]
  TorchLinear output;  // [hidden, heads * head width]
  TorchNorm norm;
};
struct CrossBlock {
  const CrossWeights* weights = nullptr;  // null: no such block
  at::Tensor vectors;                     // [texts, hidden]
};

// x, result: [tokens, hidden]. With post-norm: a = Dropout(Wo attention(x)); x1 = N(a + x); y =
// Dropout(W2 act(W1 x1)); N(y + x1). Each product includes its adapter, if there is one.
at::Tensor run_layer(const Architecture& architecture, const TorchLayerWeights& weights,
                     const at::Tensor& x, const LayerBatch& batch, int64_t layer,
                     const LayerAdapters& adapters = {}, const CrossBlock& cross = {});

// The parameters of the layer in the order of WeightVisitor.
std::vector<at::Tensor> layer_parameters(const Architecture& architecture,
                                         const TorchLayerWeights& weights, bool first);

}  // namespace contrastive::nn
