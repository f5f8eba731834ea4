// The embedding block of the CPU's training path in float32, forward and backward, as plain
// functions. It computes the same as embed_tokens() of core/torch/nn/layer.h.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <vector>

#include "core/encoder/packed_tokens.h"
#include "core/torch/nn/cpu/training_batch.h"
#include "core/torch/nn/torch_weights.h"

namespace contrastive::nn {

// The rows of the three tables that each token uses.
struct EmbeddingRows {
  std::array<std::vector<int32_t>, 3> rows;  // [tokens], of words, positions, types
};
EmbeddingRows embedding_rows(const Architecture& architecture, const PackedTokens& tokens);

struct EmbeddingActivations {
  at::Tensor normed;  // [tokens, hidden]
  at::Tensor scales;  // [tokens]
  DropoutMask mask;
};

// The block's inputs in the order of its gradients: words, positions, types (undefined if the model
// has none), gain, shift.
constexpr size_t kEmbeddingInputs = 5;
std::vector<at::Tensor> embedding_inputs(const TorchEmbeddingWeights& weights);

at::Tensor embedding_forward(const TrainingBatch& batch, const TorchEmbeddingWeights& weights,
                             const EmbeddingRows& rows, EmbeddingActivations& kept);
std::vector<at::Tensor> embedding_backward(const TrainingBatch& batch,
                                           const TorchEmbeddingWeights& weights,
                                           const EmbeddingRows& rows,
                                           const EmbeddingActivations& kept,
                                           const at::Tensor& grad_out,
                                           const std::array<bool, kEmbeddingInputs>& wanted);

}  // namespace contrastive::nn
