// Dropout masks drawn by a GPU. The bits are the same that the CPU draws (dropout.h), without
// drawing on the CPU and copying.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace contrastive::nn {

// The random stream of one place in the network, and the share that it drops.
struct MaskStream {
  uint64_t seed = 0;       // with Rng's purpose
  uint64_t epoch = 0;      // plus the place in the network; a token's place in its text is added
  uint32_t threshold = 0;  // draws below it are dropped
};

// The tokens of a batch on a GPU that draws masks.
class DeviceTokens {
 public:
  // Whether `device` can draw masks: only NVIDIA GPUs can.
  static bool draw_on(const c10::Device& device);

  // `offsets` as in PackedTokens, `examples` [texts] as in Dropout. One copy to the device.
  DeviceTokens(const std::vector<int64_t>& offsets, const std::vector<uint64_t>& examples,
               const c10::Device& device);

  // [tokens, width] bool, true = kept.
  at::Tensor rows(const MaskStream& stream, int64_t width) const;
  // [texts, heads, longest, longest] bool: query, key. False after a text's last token.
  at::Tensor attention(const MaskStream& stream, int64_t heads) const;

 private:
  int64_t texts_ = 0, longest_ = 0;
  bool padded_ = false;
  at::Tensor tokens_;  // [4, tokens] int64, as the kernels read them
};

}  // namespace contrastive::nn
