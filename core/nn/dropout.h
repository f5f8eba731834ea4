// Dropout whose masks are a function of (seed, epoch, example, place in the network, position) and of nothing else: the same for every batch split,
// thread count and device, and after a resume.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace contrastive::nn {

struct Dropout {
  double hidden = 0;     // probability of dropping an element of a hidden state
  double attention = 0;  // and of an attention probability
  uint64_t seed = 0;
  uint64_t epoch = 0;                // or the number of the update, where that decides
  std::vector<uint64_t> examples;    // [texts] what identifies each text of the batch; needed when a probability is above 0

  bool active() const { return hidden > 0 || attention > 0; }
};

// Which use of dropout a mask belongs to: one number for each place in the network.
constexpr int64_t kEmbeddingSite = 0;
inline int64_t attention_site(int64_t layer) { return 3 * layer + 1; }
inline int64_t attention_output_site(int64_t layer) { return 3 * layer + 2; }
inline int64_t output_site(int64_t layer) { return 3 * layer + 3; }

// x [tokens, hidden] with elements dropped and the others scaled by 1 / (1 - p); x itself when p is 0. `offsets` as in PackedTokens.
at::Tensor drop_hidden(const at::Tensor& x, const std::vector<int64_t>& offsets, const Dropout& dropout, int64_t site);

// Factors (0 or 1 / (1 - p)) for the attention probabilities of padded texts: [texts, heads, longest, longest] float32 on the CPU.
at::Tensor attention_factors(const std::vector<int64_t>& offsets, int64_t heads, int64_t longest, const Dropout& dropout, int64_t site);

}  // namespace contrastive::nn
