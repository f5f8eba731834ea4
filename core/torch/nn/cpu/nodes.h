// The training path's place in LibTorch's autograd graph: one node for the embedding block and one
// for each layer. Without a gradient to compute they are plain calls. There is no second
// derivative.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "core/encoder/packed_tokens.h"
#include "core/torch/nn/lora.h"
#include "core/torch/nn/cpu/training_batch.h"
#include "core/torch/nn/torch_weights.h"

namespace contrastive::nn {

at::Tensor train_embedding(const TrainingBatchPtr& batch, const TorchEmbeddingWeights& weights,
                           const PackedTokens& tokens);

// With `checkpoint` the way back repeats the way forward instead of keeping what it needs: the same
// bits, since dropout is a function.
at::Tensor train_layer(const TrainingBatchPtr& batch, const TorchLayerWeights& weights,
                       const LayerAdapters& adapters, int64_t layer, const at::Tensor& x,
                       bool checkpoint);

// Any differentiable function of x and `weights` (leaves), kept as its inputs only and repeated on
// the way back.
at::Tensor checkpointed(const std::function<at::Tensor(const at::Tensor&)>& function,
                        const at::Tensor& x, const std::vector<at::Tensor>& weights);

}  // namespace contrastive::nn
