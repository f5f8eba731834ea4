// Position-dependent parts of attention for token panels on the CPU: rotations of queries and keys,
// and the bias of the logits by distance. Made once for a batch and used by every layer.
// core/torch/nn/places.h is the equivalent for LibTorch.
#pragma once

#include <cstdint>
#include <vector>

#include "core/encoder/packed_tokens.h"

namespace contrastive::encoder {

class PanelPlaces {
 public:
  // `relative_bias`: the architecture's table [buckets, heads], or nullptr if it has none.
  PanelPlaces(const Architecture& architecture, const float* relative_bias,
              const PackedTokens& tokens, int64_t lanes);

  // Rotates one head's queries or keys: panel p at x + p * stride, [head width][lanes].
  void rotate(float* x, int64_t stride, int64_t panels, int64_t layer) const;
  // See AttentionTask::bias.
  const float* bias(int64_t layer) const;
  int64_t bias_stride() const { return bias_stride_; }

 private:
  std::vector<float> turns(double base, const PackedTokens& tokens, int64_t longest) const;
  std::vector<float> distance_bias(int64_t window, const float* table) const;

  const Architecture& a_;
  const int64_t lanes_;
  int64_t margin_ = 0, bias_stride_ = 0;
  std::vector<float> turns_[2];   // of global and of local layers: [panels][2][head width /
                                  // 2][lanes] cosines and sines of each token's position
  std::vector<float> biases_[2];  // likewise: [heads or 1][2 * margin + 1] for the distances query
                                  // - key from -margin on; empty if nothing is added
};

}  // namespace contrastive::encoder
