// Multi-head attention over packed texts with LibTorch operations: differentiable, on any device.
// Padding exists only in this file. The CPU's inference path has its own kernel
// (core/cpu/attention.inl); a test compares both.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/torch/nn/dropout.h"
#include "core/torch/nn/torch_weights.h"

namespace contrastive::nn {

// Where the tokens of packed texts are in a padded [texts x longest] grid. Made once for a batch,
// used by every layer.
class PaddedLayout {
 public:
  // `drops`: dropout is applied to the attention probabilities. That needs padding(), and lengths()
  // if the device does not draw the masks; otherwise both are undefined.
  PaddedLayout(std::vector<int64_t> offsets, const c10::Device& device, bool drops = false);

  at::Tensor pad(const at::Tensor& packed,
                 int64_t heads) const;  // [tokens, heads * width] -> [texts, heads, longest, width]
  at::Tensor unpad(const at::Tensor& padded) const;  // and back

  const std::vector<int64_t>& offsets() const { return offsets_; }
  int64_t texts() const { return static_cast<int64_t>(offsets_.size()) - 1; }
  int64_t longest() const { return longest_; }
  const at::Tensor& lengths() const {
    return lengths_;
  }  // [tokens] int64, on the device: the length of the text that each token belongs to
  const at::Tensor& mask() const {
    return mask_;
  }  // [texts, 1, 1, longest] true = a real token; undefined if nothing is padded
  const at::Tensor& padding() const {
    return padding_;
  }  // added to logits: [texts, 1, 1, longest] float32, or [1, 1, 1, 1] of 0
  const at::Tensor& cumulative() const { return cumulative_; }  // [texts + 1] int32, on the device

 private:
  std::vector<int64_t> offsets_;
  int64_t longest_ = 0;
  at::Tensor slots_;  // [tokens] row of each token in the grid; undefined if nothing is padded
  at::Tensor mask_;
  at::Tensor padding_;
  at::Tensor lengths_;
  at::Tensor cumulative_;
};

// The masks of draw_attention_mask() in the layout's grid, on its device: [texts, heads, longest,
// longest] bool, true = kept.
at::Tensor attention_kept(const PaddedLayout& layout, int64_t heads, const DropoutMasks& masks,
                          int64_t site);

// softmax(scale q k^T + bias) v for each text and head. q, result: [tokens, heads * head width]; k,
// v: [tokens, key and value heads * head width]. `bias` is Places::bias() or undefined; `site`
// identifies the dropout mask of the probabilities.
at::Tensor attend(const Architecture& architecture, const at::Tensor& q, const at::Tensor& k,
                  const at::Tensor& v, const PaddedLayout& layout, const at::Tensor& bias,
                  const DropoutMasks& masks, int64_t site);

}  // namespace contrastive::nn
