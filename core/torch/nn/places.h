// Positions in attention, with LibTorch operations: rotary positions (rotations of queries and
// keys) and relative position biases (added to the logits). Made once for a batch, used by every
// layer.
#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/encoder/packed_tokens.h"
#include "core/torch/nn/attention.h"
#include "core/torch/nn/torch_weights.h"

namespace contrastive::nn {

class Places {
 public:
  // `relative_bias`: the architecture's table [buckets, heads]; undefined if it has none, or if
  // with() sets it later.
  Places(const Architecture& architecture, const PackedTokens& tokens, const PaddedLayout& layout,
         const at::Tensor& relative_bias, const c10::Device& device);

  // The same with another table.
  Places with(const at::Tensor& relative_bias) const;

  // x [tokens, heads * head width], rotated with the layer's base; x itself if the architecture has
  // no rotary positions.
  at::Tensor rotate(const at::Tensor& x, int64_t layer) const;
  // What to add to the logits of a layer, padding included: [texts or 1, heads or 1, longest,
  // longest] float32. Undefined if nothing is added and padding is all that is masked.
  const at::Tensor& bias(int64_t layer) const { return biases_[is_local(layer)]; }

 private:
  struct Turns {
    at::Tensor cosines, sines;  // [tokens, 1, head width / 2]
  };

  bool is_local(int64_t layer) const { return architecture_.is_local(layer); }
  bool has_local() const {
    return std::find(architecture_.local.begin(), architecture_.local.end(), true) !=
           architecture_.local.end();
  }
  void make_biases(const at::Tensor& relative_bias);
  at::Tensor make_bias(int64_t window, const at::Tensor& relative_bias) const;

  Architecture architecture_;
  Turns turns_[2];  // of global and of local layers
  // [texts or 1, 1, query, key] key's place - query's; undefined if distances do not matter.
  at::Tensor distances_;
  at::Tensor padding_;    // [texts, 1, 1, key] true = padding; undefined without padding
  at::Tensor biases_[2];  // of global and of local layers
};

}  // namespace contrastive::nn
