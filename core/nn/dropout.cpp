#include "core/nn/dropout.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bitwise_left_shift.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/encoder/kernels/kernel_table.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::nn {

namespace {

// Positions and sites are below these bounds: 6 sites a layer and 4 more, for at most 682 layers; a position is below the encoder's longest text.
constexpr int kPositionBits = 20;
constexpr int kSiteBits = 12;

int64_t words_of(int64_t bits) { return (bits + 63) / 64; }

// Draws `count(text)` bits for every token, from a stream of its own.
template <class Count>
DropoutMask draw(const std::vector<int64_t>& offsets, const Dropout& dropout, double probability, int64_t site, int64_t words, const Count& count,
                 Purpose purpose = Purpose::kDropout) {
  if (probability == 0) return {};
  check(probability > 0 && probability < 1, Status::kArgument, "dropout probability is ", probability, ": it lies in [0, 1)");
  const auto texts = static_cast<int64_t>(offsets.size()) - 1;
  TORCH_CHECK(static_cast<int64_t>(dropout.examples.size()) == texts, "dropout needs one example number for each text");
  DropoutMask mask{at::empty({offsets.back(), words}, at::kLong), 1.0 / (1.0 - probability)};
  auto* bits = reinterpret_cast<uint64_t*>(mask.bits.mutable_data_ptr<int64_t>());
  const auto threshold = static_cast<uint32_t>(probability * 4294967296.0);
  const auto& kernels = encoder::kernels::best_kernels().training;
  runtime::parallel_for(texts, [&](int64_t text) {
    const int64_t begin = offsets[static_cast<size_t>(text)], end = offsets[static_cast<size_t>(text) + 1];
    for (int64_t t = begin; t < end; ++t) {
      const uint64_t place = (static_cast<uint64_t>(site) << kPositionBits) | static_cast<uint64_t>(t - begin);
      const uint64_t epoch = (dropout.epoch << (kPositionBits + kSiteBits)) | place;
      const uint64_t example = dropout.examples[static_cast<size_t>(text)];
      const Rng stream(dropout.seed, purpose, epoch, example);
      kernels.draw_mask(stream.key(), example, threshold, count(end - begin), bits + t * words);
    }
  });
  return mask;
}

}  // namespace

encoder::kernels::Mask DropoutMask::rows(int64_t first) const {
  if (!bits.defined()) return {};
  return {reinterpret_cast<const uint64_t*>(bits.const_data_ptr<int64_t>()) + first * bits.size(1), bits.size(1), static_cast<float>(scale)};
}

double Dropout::of(encoder::DropRate rate) const {
  switch (rate) {
    case encoder::DropRate::kNone: return 0;
    case encoder::DropRate::kHidden: return hidden;
    case encoder::DropRate::kAttention: return attention;
  }
  TORCH_CHECK(false, "unknown rate of dropout");
}

DropoutMask draw_mask(const std::vector<int64_t>& offsets, const Dropout& dropout, encoder::DropRate rate, int64_t site, int64_t width) {
  return draw(offsets, dropout, dropout.of(rate), site, words_of(width), [width](int64_t) { return width; });
}

DropoutMask draw_hidden_mask(const std::vector<int64_t>& offsets, const Dropout& dropout, int64_t site, int64_t width) {
  return draw_mask(offsets, dropout, encoder::DropRate::kHidden, site, width);
}

DropoutMask draw_attention_mask(const std::vector<int64_t>& offsets, const Dropout& dropout, int64_t site, int64_t heads) {
  int64_t longest = 0;
  for (size_t i = 1; i < offsets.size(); ++i) longest = std::max(longest, offsets[i] - offsets[i - 1]);
  // One word more: the kernels read bits that cross a word's border as two words.
  return draw(offsets, dropout, dropout.attention, site, words_of(heads * longest) + 1, [heads](int64_t length) { return heads * length; });
}

DropoutMask draw_adapter_mask(const std::vector<int64_t>& offsets, const Dropout& dropout, int64_t layer, int64_t number, int64_t width) {
  const auto count = [width](int64_t) { return width; };
  return draw(offsets, dropout, dropout.adapter, kAdaptersOfLayer * layer + number, words_of(width), count, Purpose::kAdapterDropout);
}

namespace {

// [tokens, words] int64 -> [tokens, words * 64] bool, on whatever device they are.
at::Tensor spread_bits(const at::Tensor& words) {
  const at::Tensor bytes = words.contiguous().view(at::kByte);
  const auto options = bytes.options();
  const at::Tensor places = at::bitwise_left_shift(at::ones({8}, options), at::arange(8, options));  // 1, 2, 4, ... 128
  return bytes.unsqueeze(2).bitwise_and(places).ne(0).flatten(1);
}

at::Tensor drop_bits(const at::Tensor& x, const at::Tensor& kept, double scale) {
  return x * (kept.narrow(1, 0, x.size(1)).to(x.scalar_type()) * scale);
}

}  // namespace

at::Tensor drop(const at::Tensor& x, const std::vector<int64_t>& offsets, const Dropout& dropout, encoder::DropRate rate, int64_t site) {
  const DropoutMask mask = draw_mask(offsets, dropout, rate, site, x.size(1));
  return mask.bits.defined() ? drop_bits(x, spread_bits(mask.bits.to(x.device())), mask.scale) : x;
}

at::Tensor drop_adapter(const at::Tensor& x, const std::vector<int64_t>& offsets, const Dropout& dropout, int64_t layer, int64_t number) {
  const DropoutMask mask = draw_adapter_mask(offsets, dropout, layer, number, x.size(1));
  return mask.bits.defined() ? drop_bits(x, spread_bits(mask.bits.to(x.device())), mask.scale) : x;
}

at::Tensor drop_hidden(const at::Tensor& x, const std::vector<int64_t>& offsets, const Dropout& dropout, int64_t site) {
  return drop(x, offsets, dropout, encoder::DropRate::kHidden, site);
}

DropoutMasks::DropoutMasks(const Architecture& a, const std::vector<int64_t>& offsets, const Dropout& dropout, const c10::Device& device)
    : attention_(dropout.attention) {
  if (!dropout.active()) return;
  std::vector<at::Tensor> parts;
  int64_t words = 0;
  const auto add = [&](int64_t site, const DropoutMask& mask) {
    if (!mask.bits.defined()) return;
    sites_[site] = {words, mask.bits.size(1), mask.scale};
    words += mask.bits.size(1);
    parts.push_back(mask.bits);
  };
  const auto add_hidden = [&](int64_t site, encoder::DropRate rate, int64_t width) { add(site, draw_mask(offsets, dropout, rate, site, width)); };
  for (int64_t layer = 0; layer < a.num_hidden_layers; ++layer) {
    add(attention_site(layer), draw_attention_mask(offsets, dropout, attention_site(layer), a.num_attention_heads));
    add_hidden(attention_output_site(layer), a.drop_attention_output, a.hidden_size);
    add_hidden(intermediate_site(a.num_hidden_layers, layer), a.drop_intermediate, a.intermediate_size);
    add_hidden(output_site(layer), a.drop_output, a.hidden_size);
  }
  if (a.drop_last) add_hidden(last_site(a.num_hidden_layers), encoder::DropRate::kHidden, a.hidden_size);
  if (!parts.empty()) bits_ = at::cat(parts, 1).to(device);
}

at::Tensor DropoutMasks::spread(const Columns& columns) const { return spread_bits(bits_.narrow(1, columns.first, columns.count)); }

at::Tensor DropoutMasks::drop(const at::Tensor& x, int64_t site) const {
  const auto columns = sites_.find(site);
  return columns == sites_.end() ? x : drop_bits(x, spread(columns->second), columns->second.scale);
}

at::Tensor DropoutMasks::attention(int64_t site) const { return spread(sites_.at(site)); }

}  // namespace contrastive::nn
