#include "core/torch/nn/dropout.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bitwise_left_shift.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/native_dropout_backward.h>
#include <ATen/ops/ones.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <algorithm>
#include <memory>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/cpu/kernels.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::nn {

namespace {

// Positions and sites are below these bounds: 6 sites a layer and 4 more, for at most 682 layers; a
// position is below the encoder's longest text.
constexpr int kPositionBits = 20;
constexpr int kSiteBits = 12;

int64_t words_of(int64_t bits) { return (bits + 63) / 64; }

uint32_t threshold_of(double probability) {
  check(probability > 0 && probability < 1, Status::kArgument, "dropout probability is ",
        probability, ": it must be in [0, 1)");
  return static_cast<uint32_t>(probability * 4294967296.0);
}

int64_t adapter_site(int64_t layer, int64_t number) { return kAdaptersOfLayer * layer + number; }

double scale_of(double probability) { return 1 / (1 - probability); }

// The stream of a token, without the token's place in its text.
uint64_t epoch_of(const Dropout& dropout, int64_t site) {
  return (dropout.epoch << (kPositionBits + kSiteBits)) |
         (static_cast<uint64_t>(site) << kPositionBits);
}

MaskStream stream_of(const Dropout& dropout, double probability, int64_t site,
                     Purpose purpose = Purpose::kDropout) {
  return {dropout.seed ^ (static_cast<uint64_t>(purpose) << 32), epoch_of(dropout, site),
          threshold_of(probability)};
}

// Draws `count(text)` bits for every token, from its own stream.
template <class Count>
DropoutMask draw(const std::vector<int64_t>& offsets, const Dropout& dropout, double probability,
                 int64_t site, int64_t words, const Count& count,
                 Purpose purpose = Purpose::kDropout) {
  if (probability == 0) return {};
  const uint32_t threshold = threshold_of(probability);
  const auto texts = static_cast<int64_t>(offsets.size()) - 1;
  TORCH_CHECK(static_cast<int64_t>(dropout.examples.size()) == texts,
              "dropout needs one example number for each text");
  DropoutMask mask{at::empty({offsets.back(), words}, at::kLong), scale_of(probability)};
  auto* bits = reinterpret_cast<uint64_t*>(mask.bits.mutable_data_ptr<int64_t>());
  const uint64_t epoch = epoch_of(dropout, site);
  const cpu::TrainingKernels& kernels = *cpu::kernels().training;
  runtime::parallel_for(texts, [&](int64_t text) {
    const int64_t begin = offsets[static_cast<size_t>(text)],
                  end = offsets[static_cast<size_t>(text) + 1];
    for (int64_t t = begin; t < end; ++t) {
      const uint64_t example = dropout.examples[static_cast<size_t>(text)];
      const Rng stream(dropout.seed, purpose, epoch | static_cast<uint64_t>(t - begin), example);
      kernels.draw_mask(stream.key(), example, threshold, count(end - begin), bits + t * words);
    }
  });
  return mask;
}

}  // namespace

cpu::Mask DropoutMask::rows(int64_t first) const {
  if (!bits.defined()) return {};
  return {reinterpret_cast<const uint64_t*>(bits.const_data_ptr<int64_t>()) + first * bits.size(1),
          bits.size(1), static_cast<float>(scale)};
}

double Dropout::of(encoder::DropRate rate) const {
  switch (rate) {
    case encoder::DropRate::kNone: return 0;
    case encoder::DropRate::kHidden: return hidden;
    case encoder::DropRate::kAttention: return attention;
  }
  TORCH_CHECK(false, "unknown rate of dropout");
}

DropoutMask draw_mask(const std::vector<int64_t>& offsets, const Dropout& dropout,
                      encoder::DropRate rate, int64_t site, int64_t width) {
  return draw(offsets, dropout, dropout.of(rate), site, words_of(width),
              [width](int64_t) { return width; });
}

DropoutMask draw_hidden_mask(const std::vector<int64_t>& offsets, const Dropout& dropout,
                             int64_t site, int64_t width) {
  return draw_mask(offsets, dropout, encoder::DropRate::kHidden, site, width);
}

DropoutMask draw_attention_mask(const std::vector<int64_t>& offsets, const Dropout& dropout,
                                int64_t site, int64_t heads) {
  int64_t longest = 0;
  for (size_t i = 1; i < offsets.size(); ++i)
    longest = std::max(longest, offsets[i] - offsets[i - 1]);
  // One more word: the kernels read bits that cross the border of a word as two words.
  return draw(offsets, dropout, dropout.attention, site, words_of(heads * longest) + 1,
              [heads](int64_t length) { return heads * length; });
}

DropoutMask draw_adapter_mask(const std::vector<int64_t>& offsets, const Dropout& dropout,
                              int64_t layer, int64_t number, int64_t width) {
  const auto count = [width](int64_t) { return width; };
  return draw(offsets, dropout, dropout.adapter, adapter_site(layer, number), words_of(width),
              count, Purpose::kAdapterDropout);
}

namespace {

// [tokens, words] int64 -> [tokens, words * 64] bool, on any device.
at::Tensor spread_bits(const at::Tensor& words) {
  const at::Tensor bytes = words.contiguous().view(at::kByte);
  const auto options = bytes.options();
  const at::Tensor places =
      at::bitwise_left_shift(at::ones({8}, options), at::arange(8, options));  // 1, 2, 4, ... 128
  return bytes.unsqueeze(2).bitwise_and(places).ne(0).flatten(1);
}

at::Tensor where_kept(const at::Tensor& x, const at::Tensor& kept, double scale) {
  const at::NoGradGuard no_grad;
  return at::native_dropout_backward(x, kept,
                                     scale);  // the one operation that LibTorch has for this
}

struct DropBackward : torch::autograd::Node {
  std::string name() const override { return "DropBackward"; }
  torch::autograd::variable_list apply(torch::autograd::variable_list&& grads) override {
    TORCH_CHECK(!at::GradMode::is_enabled(), "dropout has no second derivative");
    if (!grads[0].defined()) return torch::autograd::variable_list(1);
    TORCH_CHECK(kept.defined(),
                "a second way back through dropout, whose mask the first one let go");
    return {where_kept(grads[0], kept, scale)};
  }
  void release_variables() override { kept.reset(); }

  at::Tensor kept;
  double scale = 1;
};

// x [tokens, width] after drop(), with the masks of `purpose` at `site`. `tokens`: those of the
// batch, if the device draws masks.
at::Tensor drop_rows(const at::Tensor& x, const std::vector<int64_t>& offsets,
                     const Dropout& dropout, double probability, int64_t site, Purpose purpose,
                     const DeviceTokens* tokens = nullptr) {
  if (probability == 0) return x;
  const int64_t width = x.size(1);
  if (tokens != nullptr || DeviceTokens::draw_on(x.device())) {
    const MaskStream stream = stream_of(dropout, probability, site, purpose);
    const at::Tensor kept =
        tokens != nullptr ? tokens->rows(stream, width)
                          : DeviceTokens(offsets, dropout.examples, x.device()).rows(stream, width);
    return drop_where(x, kept, scale_of(probability));
  }
  const DropoutMask mask = draw(
      offsets, dropout, probability, site, words_of(width), [width](int64_t) { return width; },
      purpose);
  return drop_where(x, spread_bits(mask.bits.to(x.device())).narrow(1, 0, width), mask.scale);
}

}  // namespace

at::Tensor drop_where(const at::Tensor& x, const at::Tensor& kept, double scale) {
  at::Tensor result = where_kept(x, kept, scale);
  if (!torch::autograd::compute_requires_grad(x)) return result;
  const auto node = std::make_shared<DropBackward>();
  node->kept = kept;
  node->scale = scale;
  node->set_next_edges(torch::autograd::collect_next_edges(x));
  torch::autograd::set_history(result, node);
  return result;
}

at::Tensor drop(const at::Tensor& x, const std::vector<int64_t>& offsets, const Dropout& dropout,
                encoder::DropRate rate, int64_t site) {
  return drop_rows(x, offsets, dropout, dropout.of(rate), site, Purpose::kDropout);
}

at::Tensor drop_hidden(const at::Tensor& x, const std::vector<int64_t>& offsets,
                       const Dropout& dropout, int64_t site) {
  return drop(x, offsets, dropout, encoder::DropRate::kHidden, site);
}

DropoutMasks::DropoutMasks(const Architecture& a, std::vector<int64_t> given,
                           const Dropout& dropout, const c10::Device& device)
    : offsets_(std::move(given)), dropout_(dropout) {
  if ((dropout.active() || dropout.adapter > 0) && DeviceTokens::draw_on(device))
    tokens_.emplace(offsets_, dropout.examples, device);
  if (!dropout.active()) return;
  std::vector<at::Tensor> parts;
  int64_t words = 0;
  const auto add = [&](int64_t site, double probability, const auto& draw_here) {
    if (probability == 0) return;
    Place& place = sites_[site];
    place.probability = probability;
    if (tokens_) return;
    parts.push_back(draw_here().bits);
    place.first = words;
    place.count = parts.back().size(1);
    words += place.count;
  };
  const auto add_hidden = [&](int64_t site, encoder::DropRate rate, int64_t width) {
    add(site, dropout.of(rate), [&] { return draw_mask(offsets_, dropout, rate, site, width); });
  };
  for (int64_t layer = 0; layer < a.num_hidden_layers; ++layer) {
    const int64_t attention = attention_site(layer);
    add(attention, dropout.attention,
        [&] { return draw_attention_mask(offsets_, dropout, attention, a.num_attention_heads); });
    add_hidden(attention_output_site(layer), a.drop_attention_output, a.hidden_size);
    add_hidden(intermediate_site(a.num_hidden_layers, layer), a.drop_intermediate,
               a.intermediate_size);
    add_hidden(output_site(layer), a.drop_output, a.hidden_size);
  }
  if (a.drop_last)
    add_hidden(last_site(a.num_hidden_layers), encoder::DropRate::kHidden, a.hidden_size);
  if (!parts.empty()) bits_ = at::cat(parts, 1).to(device);
}

at::Tensor DropoutMasks::drop(const at::Tensor& x, int64_t site) const {
  const auto found = sites_.find(site);
  if (found == sites_.end()) return x;
  const auto& [probability, first, count] = found->second;
  if (tokens_)
    return drop_rows(x, offsets_, dropout_, probability, site, Purpose::kDropout, tokens());
  return drop_where(x, spread_bits(bits_.narrow(1, first, count)).narrow(1, 0, x.size(1)),
                    scale_of(probability));
}

at::Tensor DropoutMasks::drop(const at::Tensor& x, encoder::DropRate rate, int64_t site) const {
  return drop_rows(x, offsets_, dropout_, dropout_.of(rate), site, Purpose::kDropout, tokens());
}

at::Tensor DropoutMasks::drop_adapter(const at::Tensor& x, int64_t layer, int64_t number) const {
  return drop_rows(x, offsets_, dropout_, dropout_.adapter, adapter_site(layer, number),
                   Purpose::kAdapterDropout, tokens());
}

at::Tensor DropoutMasks::attention_grid(int64_t site, int64_t heads) const {
  return tokens_ ? tokens_->attention(stream_of(dropout_, dropout_.attention, site), heads)
                 : at::Tensor();
}

at::Tensor DropoutMasks::attention_rows(int64_t site) const {
  const Place& place = sites_.at(site);
  return spread_bits(bits_.narrow(1, place.first, place.count));
}

}  // namespace contrastive::nn
