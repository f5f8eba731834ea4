// Dropout whose masks are a function of (seed, epoch, example, place in the network, position) and
// of nothing else: the same for every batch split, thread count and device, and after a resume.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/cpu/training.h"
#include "core/torch/nn/device_dropout.h"
#include "core/torch/nn/torch_weights.h"

namespace contrastive::nn {

struct Dropout {
  double hidden = 0;     // probability of dropping an element of a hidden state
  double attention = 0;  // and of an attention probability
  double adapter = 0;    // and of what a low-rank adapter sees
  uint64_t seed = 0;
  uint64_t epoch = 0;              // or the number of the update, where that decides
  std::vector<uint64_t> examples;  // [texts] what identifies each text of the batch; needed when a
                                   // probability is above 0

  bool active() const { return hidden > 0 || attention > 0; }
  double of(encoder::DropRate rate) const;
};

// Which use of dropout a mask belongs to: one number for each place in the network.
constexpr int64_t kEmbeddingSite = 0;
inline int64_t attention_site(int64_t layer) { return 3 * layer + 1; }
inline int64_t attention_output_site(int64_t layer) { return 3 * layer + 2; }
inline int64_t output_site(int64_t layer) { return 3 * layer + 3; }
// Behind those of `layers` layers and of a classifier's head.
inline int64_t intermediate_site(int64_t layers, int64_t layer) { return 3 * layers + 3 + layer; }
inline int64_t last_site(int64_t layers) { return intermediate_site(layers, layers); }
// Of a decoder's blocks that look at another text's vector.
inline int64_t cross_attention_site(int64_t layers, int64_t layer) {
  return last_site(layers) + 1 + 2 * layer;
}
inline int64_t cross_output_site(int64_t layers, int64_t layer) {
  return last_site(layers) + 2 + 2 * layer;
}

// The masks of one site, a row of bits for each token: 1 = kept. Undefined bits keep everything.
struct DropoutMask {
  at::Tensor bits;   // [tokens, words] int64 on the CPU
  double scale = 1;  // of what is kept: 1 / (1 - p)

  // From row `first` on, for the kernels.
  cpu::Mask rows(int64_t first) const;
};

// Of states [tokens, width] that are dropped at `rate`; `offsets` as in PackedTokens.
DropoutMask draw_mask(const std::vector<int64_t>& offsets, const Dropout& dropout,
                      encoder::DropRate rate, int64_t site, int64_t width);
// At the hidden rate.
DropoutMask draw_hidden_mask(const std::vector<int64_t>& offsets, const Dropout& dropout,
                             int64_t site, int64_t width);
// Of the attention probabilities: a query's row holds `length of its text` bits for each head,
// heads in turn. It depends on the text's own length, never on the batch's longest.
DropoutMask draw_attention_mask(const std::vector<int64_t>& offsets, const Dropout& dropout,
                                int64_t site, int64_t heads);

// Of what the module `number` of a layer shows to its low-rank adapter: streams beside those of the
// sites.
constexpr int64_t kAdaptersOfLayer = 8;  // numbers are below this
DropoutMask draw_adapter_mask(const std::vector<int64_t>& offsets, const Dropout& dropout,
                              int64_t layer, int64_t number, int64_t width);

// x [tokens, width] with elements dropped and the others scaled by 1 / (1 - p); x itself when p is
// 0. `offsets` as in PackedTokens.
at::Tensor drop(const at::Tensor& x, const std::vector<int64_t>& offsets, const Dropout& dropout,
                encoder::DropRate rate, int64_t site);
// At the hidden rate.
at::Tensor drop_hidden(const at::Tensor& x, const std::vector<int64_t>& offsets,
                       const Dropout& dropout, int64_t site);
// x times `kept` (bool, of x's shape) and `scale`. There is no second derivative.
at::Tensor drop_where(const at::Tensor& x, const at::Tensor& kept, double scale);

// The masks of one batch's layers, for LibTorch's operations on any device. A device that draws
// makes each where it is used. For others the CPU draws those of all layers together and sends them
// as bits in one copy, since each copy to a GPU waits for everything before it; they are spread out
// where they are used.
class DropoutMasks {
 public:
  DropoutMasks(const Architecture& architecture, std::vector<int64_t> offsets,
               const Dropout& dropout, const c10::Device& device);

  // x [tokens, width] as drop() leaves it at a site of the layers.
  at::Tensor drop(const at::Tensor& x, int64_t site) const;
  // And at any other.
  at::Tensor drop(const at::Tensor& x, encoder::DropRate rate, int64_t site) const;
  // As draw_adapter_mask() draws.
  at::Tensor drop_adapter(const at::Tensor& x, int64_t layer, int64_t number) const;

  double of_attention() const { return dropout_.attention; }  // the probability
  // Where the device draws: their masks in the grid of PaddedLayout, else undefined.
  at::Tensor attention_grid(int64_t site, int64_t heads) const;
  // Where it does not: rows of draw_attention_mask(), [tokens, bits] bool, true = kept.
  at::Tensor attention_rows(int64_t site) const;

 private:
  struct Place {
    double probability = 0;
    int64_t first = 0, count = 0;  // words of each token in bits_
  };

  const DeviceTokens* tokens() const { return tokens_ ? &*tokens_ : nullptr; }

  std::vector<int64_t> offsets_;
  Dropout dropout_;
  std::map<int64_t, Place> sites_;      // of those at which something is dropped
  std::optional<DeviceTokens> tokens_;  // on a device that draws
  at::Tensor
      bits_;  // on others: [tokens, words] int64 on the device; undefined where nothing is dropped
};

}  // namespace contrastive::nn
