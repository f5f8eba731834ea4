// Connects the CPU's training path to LibTorch's autograd graph: one node for the embedding block
// and one for each layer. If no gradient is needed, they are plain calls. There is no second
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

// With `checkpoint` the backward pass repeats the forward pass instead of keeping its results. The
// bits are the same, since dropout is a function.
at::Tensor train_layer(const TrainingBatchPtr& batch, const TorchLayerWeights& weights,
                       const LayerAdapters& adapters, int64_t layer, const at::Tensor& x,
                       bool checkpoint);

// Gradient checkpointing for any differentiable function of x and `weights` (leaves): only its
// inputs are kept, and the backward pass repeats it.
at::Tensor checkpointed(const std::function<at::Tensor(const at::Tensor&)>& function,
                        const at::Tensor& x, const std::vector<at::Tensor>& weights);

}  // namespace contrastive::nn
