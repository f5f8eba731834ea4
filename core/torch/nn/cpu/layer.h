// One transformer layer of the CPU's training path in float32, forward and backward, as plain
// functions on tensors. It combines LibTorch's matrix products with the kernels of
// core/cpu/training.h, and computes the same as run_layer() of core/torch/nn/layer.h; a test
// compares both. nodes.h makes the autograd graph.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <vector>

#include "core/torch/nn/lora.h"
#include "core/torch/nn/cpu/training_batch.h"
#include "core/torch/nn/torch_weights.h"

namespace contrastive::nn {

// What the backward pass needs from the forward pass: 10 numbers of hidden_size for each token
// (with intermediate = 4 hidden), and the bits of the masks.
struct LayerActivations {
  at::Tensor qkv;       // [tokens, 3 hidden] without biases
  at::Tensor log_sums;  // [heads, tokens]
  at::Tensor attended;  // [tokens, hidden]
  // [tokens, hidden] (sum - mean) / deviation, after attention and after the feed-forward block.
  at::Tensor normed[2];
  at::Tensor scales[2];  // [tokens] 1 / deviation
  at::Tensor widened;    // [tokens, intermediate] before bias and activation
  DropoutMask attention_mask, attention_output_mask, output_mask;
  // [tokens, rank] scale A dropout(x) of the existing adapters, in the order of
  // LayerAdapters::all().
  std::array<at::Tensor, 6> lowered;
};

// The layer's inputs in the order of its gradients: the state, the weights as WeightVisitor lists
// them, then A and B of each adapter (undefined without one). Here an adapter belongs to a
// single linear, which holds for every architecture that the kernels train.
constexpr size_t kLayerInputs = 29;
std::vector<at::Tensor> layer_inputs(const at::Tensor& x, const TorchLayerWeights& weights,
                                     const LayerAdapters& adapters);

// x, result: [tokens, hidden]. If `keep` is null, what only the backward pass needs is freed at
// once.
at::Tensor layer_forward(const TrainingBatch& batch, const TorchLayerWeights& weights,
                         const LayerAdapters& adapters, int64_t layer, const at::Tensor& x,
                         LayerActivations* keep);

// Computes only the gradients of the wanted inputs; the others stay undefined and cost nothing.
std::vector<at::Tensor> layer_backward(const TrainingBatch& batch, const TorchLayerWeights& weights,
                                       const LayerAdapters& adapters, int64_t layer,
                                       const at::Tensor& x, const LayerActivations& kept,
                                       const at::Tensor& grad_out,
                                       const std::array<bool, kLayerInputs>& wanted);

}  // namespace contrastive::nn
