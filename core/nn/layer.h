// The embedding block and one transformer layer (post-LN, methods.md 6.1) with LibTorch operations: differentiable, on any device, packed texts.
#pragma once

#include <ATen/core/Tensor.h>

#include "core/encoder/packed_tokens.h"
#include "core/nn/attention.h"
#include "core/nn/dropout.h"
#include "core/nn/weights.h"

namespace contrastive::nn {

// Dropout(LN(W[id] + P[position] + TT[type])): [tokens, hidden]. Positions count from each text's first token, RoBERTa's from pad_token_id + 1.
at::Tensor embed_tokens(const EncoderOptions& options, const EmbeddingWeights& weights, const PackedTokens& tokens, const Dropout& dropout);

// a = Dropout(Wo attention(x) + bo); x1 = LN(a + x); y = Dropout(W2 act(W1 x1 + b1) + b2); LN(y + x1). x, result: [tokens, hidden]
at::Tensor run_layer(const EncoderOptions& options, const LayerWeights& weights, const at::Tensor& x, const PaddedLayout& layout,
                     const DropoutMasks& masks, int64_t layer);

}  // namespace contrastive::nn
