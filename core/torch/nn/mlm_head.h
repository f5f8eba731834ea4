// The head of masked language modelling: hidden states in, one logit for each token of the
// vocabulary out. Its last matrix is the word embeddings (core/torch/nn/README.md 3).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/torch/nn/torch_weights.h"

namespace contrastive::nn {

class MlmHead {
 public:
  // Takes over `weights` by their names. kNotFound or kMismatch names a tensor that is missing or
  // has another shape.
  MlmHead(const Architecture& architecture, const std::map<std::string, at::Tensor>& weights);
  // Fresh weights: the matrix from N(0, initializer_range), biases 0, LayerNorm 1 and 0.
  static MlmHead random(const Architecture& architecture, uint64_t seed);

  // LN(act(W x + b)) words^T + bias. states: [positions, hidden], only the selected ones; words:
  // [vocab, table width]. Result: [positions, vocab].
  at::Tensor logits(const at::Tensor& states, const at::Tensor& words) const;
  std::vector<std::pair<std::string, at::Tensor>> named_parameters() const;

 private:
  Architecture architecture_;
  std::vector<at::Tensor> tensors_;  // in the order of encoder::mlm_head_shapes
  TorchLinear transform_;
  TorchNorm norm_;
  at::Tensor bias_;  // [vocab]
};

}  // namespace contrastive::nn
