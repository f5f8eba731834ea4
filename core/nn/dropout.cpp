#include "core/nn/dropout.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/nn/kernels/kernel_table.h"
#include "core/runtime/share_out.h"

namespace contrastive::nn {

namespace {

// Positions and sites are far below these bounds (a site has 3 per layer, a position is below the encoder's table).
constexpr int kPositionBits = 20;
constexpr int kSiteBits = 12;

int64_t words_of(int64_t bits) { return (bits + 63) / 64; }

// Draws `count(text)` bits for every token, from a stream of its own.
template <class Count>
DropoutMask draw(const std::vector<int64_t>& offsets, const Dropout& dropout, double probability, int64_t site, int64_t words, const Count& count) {
  if (probability == 0) return {};
  check(probability > 0 && probability < 1, Status::kArgument, "dropout probability is ", probability, ": it lies in [0, 1)");
  const auto texts = static_cast<int64_t>(offsets.size()) - 1;
  TORCH_CHECK(static_cast<int64_t>(dropout.examples.size()) == texts, "dropout needs one example number for each text");
  DropoutMask mask{at::empty({offsets.back(), words}, at::kLong), 1.0 / (1.0 - probability)};
  auto* bits = reinterpret_cast<uint64_t*>(mask.bits.mutable_data_ptr<int64_t>());
  const auto threshold = static_cast<uint32_t>(probability * 4294967296.0);
  const auto& kernels = kernels::best_kernels().training;
  runtime::share_out(texts, [&](int64_t text) {
    const int64_t begin = offsets[static_cast<size_t>(text)], end = offsets[static_cast<size_t>(text) + 1];
    for (int64_t t = begin; t < end; ++t) {
      const uint64_t place = (static_cast<uint64_t>(site) << kPositionBits) | static_cast<uint64_t>(t - begin);
      const uint64_t epoch = (dropout.epoch << (kPositionBits + kSiteBits)) | place;
      const uint64_t example = dropout.examples[static_cast<size_t>(text)];
      const Rng stream(dropout.seed, Purpose::kDropout, epoch, example);
      kernels.draw_mask(stream.key(), example, threshold, count(end - begin), bits + t * words);
    }
  });
  return mask;
}

}  // namespace

kernels::Mask DropoutMask::rows(int64_t first) const {
  if (!bits.defined()) return {};
  return {reinterpret_cast<const uint64_t*>(bits.const_data_ptr<int64_t>()) + first * bits.size(1), bits.size(1), static_cast<float>(scale)};
}

DropoutMask draw_hidden_mask(const std::vector<int64_t>& offsets, const Dropout& dropout, int64_t site, int64_t width) {
  return draw(offsets, dropout, dropout.hidden, site, words_of(width), [width](int64_t) { return width; });
}

DropoutMask draw_attention_mask(const std::vector<int64_t>& offsets, const Dropout& dropout, int64_t site, int64_t heads) {
  int64_t longest = 0;
  for (size_t i = 1; i < offsets.size(); ++i) longest = std::max(longest, offsets[i] - offsets[i - 1]);
  // One word more: the kernels read bits that cross a word's border as two words.
  return draw(offsets, dropout, dropout.attention, site, words_of(heads * longest) + 1, [heads](int64_t length) { return heads * length; });
}

at::Tensor drop_hidden(const at::Tensor& x, const std::vector<int64_t>& offsets, const Dropout& dropout, int64_t site) {
  const DropoutMask mask = draw_hidden_mask(offsets, dropout, site, x.size(1));
  if (!mask.bits.defined()) return x;
  // The bits travel to the device as they are and are spread out there.
  const at::Tensor bytes = mask.bits.view(at::kByte).to(x.device());                                                      // [tokens, words * 8]
  const at::Tensor places = at::tensor({1, 2, 4, 8, 16, 32, 64, 128}, at::TensorOptions().dtype(at::kByte)).to(x.device());
  const at::Tensor kept = bytes.unsqueeze(2).bitwise_and(places).ne(0).flatten(1).narrow(1, 0, x.size(1));
  return x * (kept.to(x.scalar_type()) * mask.scale);
}

at::Tensor attention_kept(const std::vector<int64_t>& offsets, int64_t heads, int64_t longest, const Dropout& dropout, int64_t site) {
  const DropoutMask mask = draw_attention_mask(offsets, dropout, site, heads);
  const auto texts = static_cast<int64_t>(offsets.size()) - 1;
  at::Tensor kept = at::zeros({texts, heads, longest, longest}, at::kBool);
  bool* out = kept.mutable_data_ptr<bool>();
  runtime::share_out(texts, [&](int64_t text) {
    const int64_t begin = offsets[static_cast<size_t>(text)], length = offsets[static_cast<size_t>(text) + 1] - begin;
    for (int64_t query = 0; query < length; ++query) {
      const uint64_t* bits = mask.rows(begin + query).bits;
      for (int64_t i = 0; i < heads * length; ++i) {
        out[((text * heads + i / length) * longest + query) * longest + i % length] = (bits[i / 64] >> (i % 64) & 1) != 0;
      }
    }
  });
  return kept;
}

}  // namespace contrastive::nn
