// Dropout's masks drawn by a GPU: the bits that the CPU draws (dropout.h), without the CPU and the
// way from it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace contrastive::nn {

// The stream of one place in the network, and how much of it is dropped.
struct MaskStream {
  uint64_t seed = 0;       // with Rng's purpose
  uint64_t epoch = 0;      // with the place in the network; a token's place in its text is added
  uint32_t threshold = 0;  // draws below it are dropped
};

// The tokens of a batch on a GPU that draws.
class DeviceTokens {
 public:
  // Whether `device` draws: a GPU of NVIDIA's does, and no other device.
  static bool draw_on(const c10::Device& device);

  // `offsets` as in PackedTokens, `examples` [texts] as in Dropout. One copy to the device.
  DeviceTokens(const std::vector<int64_t>& offsets, const std::vector<uint64_t>& examples,
               const c10::Device& device);

  // [tokens, width] bool, true = kept.
  at::Tensor rows(const MaskStream& stream, int64_t width) const;
  // [texts, heads, longest, longest] bool: query, key. False behind a text's last token.
  at::Tensor attention(const MaskStream& stream, int64_t heads) const;

 private:
  int64_t texts_ = 0, longest_ = 0;
  bool padded_ = false;
  at::Tensor tokens_;  // [4, tokens] int64, as the kernels read them
};

}  // namespace contrastive::nn
