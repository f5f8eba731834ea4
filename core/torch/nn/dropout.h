// Dropout whose masks are a function of (seed, epoch, example, place in the network, position).
// They are the same for every batch split, thread count and device, and after a resume.
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
  double attention = 0;  // the same for an attention probability
  double adapter = 0;    // the same for the input of a low-rank adapter
  uint64_t seed = 0;
  uint64_t epoch = 0;  // or the number of the update, if that identifies the batch
  // [texts] identifies each text of the batch; needed if a probability is above 0.
  std::vector<uint64_t> examples;

  bool active() const { return hidden > 0 || attention > 0; }
  double of(encoder::DropRate rate) const;
};

// Identifies the use of dropout that a mask belongs to: one number for each place in the network.
constexpr int64_t kEmbeddingSite = 0;
inline int64_t attention_site(int64_t layer) { return 3 * layer + 1; }
inline int64_t attention_output_site(int64_t layer) { return 3 * layer + 2; }
inline int64_t output_site(int64_t layer) { return 3 * layer + 3; }
// These follow the sites of `layers` layers and of a classifier's head.
inline int64_t intermediate_site(int64_t layers, int64_t layer) { return 3 * layers + 3 + layer; }
inline int64_t last_site(int64_t layers) { return intermediate_site(layers, layers); }
// The sites of a decoder's cross-attention blocks.
inline int64_t cross_attention_site(int64_t layers, int64_t layer) {
  return last_site(layers) + 1 + 2 * layer;
}
inline int64_t cross_output_site(int64_t layers, int64_t layer) {
  return last_site(layers) + 2 + 2 * layer;
}

// The masks of one site, a row of bits for each token: 1 = kept. Undefined bits keep everything.
struct DropoutMask {
  at::Tensor bits;   // [tokens, words] int64 on the CPU
  double scale = 1;  // for what is kept: 1 / (1 - p)

  // The masks from row `first` on, for the kernels.
  cpu::Mask rows(int64_t first) const;
};

// The mask of states [tokens, width] with the dropout probability `rate`; `offsets` as in
// PackedTokens.
DropoutMask draw_mask(const std::vector<int64_t>& offsets, const Dropout& dropout,
                      encoder::DropRate rate, int64_t site, int64_t width);
// The same with the hidden rate.
DropoutMask draw_hidden_mask(const std::vector<int64_t>& offsets, const Dropout& dropout,
                             int64_t site, int64_t width);
// The mask of the attention probabilities: the row of a query has `length of its text` bits for
// each head, one head after the other. It depends on the text's own length, never on the longest
// text of the batch.
DropoutMask draw_attention_mask(const std::vector<int64_t>& offsets, const Dropout& dropout,
                                int64_t site, int64_t heads);

// The mask for the input of the low-rank adapter of module `number` of a layer. Its random streams
// differ from those of the sites.
constexpr int64_t kAdaptersOfLayer = 8;  // numbers are below this
DropoutMask draw_adapter_mask(const std::vector<int64_t>& offsets, const Dropout& dropout,
                              int64_t layer, int64_t number, int64_t width);

// x [tokens, width] with elements dropped and the others scaled by 1 / (1 - p); x itself if p is 0.
// `offsets` as in PackedTokens.
at::Tensor drop(const at::Tensor& x, const std::vector<int64_t>& offsets, const Dropout& dropout,
                encoder::DropRate rate, int64_t site);
// The same with the hidden rate.
at::Tensor drop_hidden(const at::Tensor& x, const std::vector<int64_t>& offsets,
                       const Dropout& dropout, int64_t site);
// x times `kept` (bool, of x's shape) and `scale`. There is no second derivative.
at::Tensor drop_where(const at::Tensor& x, const at::Tensor& kept, double scale);

// The masks of one batch's layers, for LibTorch operations on any device. A device that can draw
// makes each mask where it is used. For other devices the CPU draws the masks of all layers
// together and sends them as bits in one copy, because each copy to a GPU waits for all work before
// it. The bits are unpacked where they are used.
class DropoutMasks {
 public:
  DropoutMasks(const Architecture& architecture, std::vector<int64_t> offsets,
               const Dropout& dropout, const c10::Device& device);

  // x [tokens, width] after dropout at a site of the layers.
  at::Tensor drop(const at::Tensor& x, int64_t site) const;
  // The same at any other site.
  at::Tensor drop(const at::Tensor& x, encoder::DropRate rate, int64_t site) const;
  // With the mask of draw_adapter_mask().
  at::Tensor drop_adapter(const at::Tensor& x, int64_t layer, int64_t number) const;

  double of_attention() const { return dropout_.attention; }  // the probability
  // If the device draws: the masks in the grid of PaddedLayout. Otherwise undefined.
  at::Tensor attention_grid(int64_t site, int64_t heads) const;
  // If the device does not draw: rows of draw_attention_mask(), [tokens, bits] bool, true = kept.
  at::Tensor attention_rows(int64_t site) const;

 private:
  struct Place {
    double probability = 0;
    int64_t first = 0, count = 0;  // words of each token in bits_
  };

  const DeviceTokens* tokens() const { return tokens_ ? &*tokens_ : nullptr; }

  std::vector<int64_t> offsets_;
  Dropout dropout_;
  std::map<int64_t, Place> sites_;      // the sites at which something is dropped
  std::optional<DeviceTokens> tokens_;  // on a device that draws
  // On other devices: [tokens, words] int64 on the device; undefined if nothing is dropped.
  at::Tensor bits_;
};

}  // namespace contrastive::nn
