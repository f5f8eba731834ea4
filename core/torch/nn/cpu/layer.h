// One transformer layer of the CPU's training path in float32, forward and backward, as plain
// functions on tensors: LibTorch's matrix products with the kernels of core/cpu/training.h
// between them. The same layer as run_layer() of core/torch/nn/layer.h; a test holds the two equal.
// The autograd graph is nodes.h.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <vector>

#include "core/torch/nn/lora.h"
#include "core/torch/nn/cpu/training_batch.h"
#include "core/torch/nn/torch_weights.h"

namespace contrastive::nn {

// What the way back needs of the way forward: 10 numbers of hidden_size for each token (with
// intermediate = 4 hidden), and the masks' bits.
struct LayerActivations {
  at::Tensor qkv;        // [tokens, 3 hidden] without biases
  at::Tensor log_sums;   // [heads, tokens]
  at::Tensor attended;   // [tokens, hidden]
  at::Tensor normed[2];  // [tokens, hidden] (sum - mean) / deviation, after attention and after the
                         // feed-forward block
  at::Tensor scales[2];  // [tokens] 1 / deviation
  at::Tensor widened;    // [tokens, intermediate] before bias and activation
  DropoutMask attention_mask, attention_output_mask, output_mask;
  std::array<at::Tensor, 6> lowered;  // [tokens, rank] scale A dropout(x) of the adapters that
                                      // there are, in the order of LayerAdapters::all()
};

// The layer's inputs in the order of its gradients: the state, the weights as WeightVisitor lists
// them, then A and B of each adapter, undefined where there is none. An adapter here stands beside
// one linear, which every architecture that the kernels train has.
constexpr size_t kLayerInputs = 29;
std::vector<at::Tensor> layer_inputs(const at::Tensor& x, const TorchLayerWeights& weights,
                                     const LayerAdapters& adapters);

// x, result: [tokens, hidden]. `keep` null: what only the way back needs is dropped on the way.
at::Tensor layer_forward(const TrainingBatch& batch, const TorchLayerWeights& weights,
                         const LayerAdapters& adapters, int64_t layer, const at::Tensor& x,
                         LayerActivations* keep);

// Gradients of those inputs that are wanted; the others stay undefined and cost nothing.
std::vector<at::Tensor> layer_backward(const TrainingBatch& batch, const TorchLayerWeights& weights,
                                       const LayerAdapters& adapters, int64_t layer,
                                       const at::Tensor& x, const LayerActivations& kept,
                                       const at::Tensor& grad_out,
                                       const std::array<bool, kLayerInputs>& wanted);

}  // namespace contrastive::nn
