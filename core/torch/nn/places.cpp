#include "core/torch/nn/places.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "core/encoder/relative_bias.h"
#include "core/encoder/rotary.h"

namespace contrastive::nn {
namespace {

// The logit of a key that a query does not see. Not -infinity, not even in 16 bits: a row without
// any key, as in padding, would be NaN.
constexpr float kUnseen = -1e30f;

at::Tensor to_tensor(const std::vector<int32_t>& values) {
  const at::Tensor tensor = at::empty({static_cast<int64_t>(values.size())}, at::kLong);
  std::copy(values.begin(), values.end(), tensor.mutable_data_ptr<int64_t>());
  return tensor;
}

at::Tensor to_tensor(const std::vector<float>& values, at::IntArrayRef shape) {
  const at::Tensor tensor = at::empty(shape, at::kFloat);
  std::copy(values.begin(), values.end(), tensor.mutable_data_ptr<float>());
  return tensor;
}

// The bucket of every distance from -furthest to furthest.
at::Tensor bucket_table(const Architecture& a, int64_t furthest) {
  const at::Tensor table = at::empty({2 * furthest + 1}, at::kLong);
  for (int64_t r = -furthest; r <= furthest; ++r) {
    table.mutable_data_ptr<int64_t>()[r + furthest] =
        encoder::distance_bucket(r, a.relative_buckets, a.relative_distance);
  }
  return table;
}

}  // namespace

Places::Places(const Architecture& a, const PackedTokens& tokens, const PaddedLayout& layout,
               const at::Tensor& relative_bias, const c10::Device& device)
    : architecture_(a) {
  const bool any_window = a.window > 0 && has_local();
  const bool distances_count =
      any_window || a.causal || a.relative_bias != encoder::RelativeBias::kNone;
  if (a.rotary_base == 0 && !distances_count) return;
  const std::vector<int32_t> own = encoder::places(tokens);
  const int32_t last = own.empty() ? 0 : *std::max_element(own.begin(), own.end());
  const at::Tensor places = to_tensor(own);
  if (a.rotary_base > 0) {
    const int64_t pairs = a.width_of_head() / 2;
    for (const bool local : {false, true}) {
      if (local && !has_local()) break;
      const double base = local && a.local_rotary_base > 0 ? a.local_rotary_base : a.rotary_base;
      const encoder::Rotation table = encoder::rotation(a, base, last + 1);
      const auto rows = [&](const std::vector<float>& values) {
        return to_tensor(values, {last + 1, pairs}).index_select(0, places).unsqueeze(1).to(device);
      };
      turns_[local] = {rows(table.cosines), rows(table.sines)};
    }
  }
  if (!distances_count) return;
  // If the places of every text are 0, 1, 2, ..., all texts have the same distances.
  const bool same = tokens.positions == nullptr;
  at::Tensor grid = same ? at::arange(layout.longest(), at::kLong).unsqueeze(0)
                         : layout.pad(places.to(device).unsqueeze(1), 1)
                               .reshape({layout.texts(), layout.longest()});  // [texts, longest]
  grid = grid.to(device);
  distances_ = (grid.unsqueeze(1) - grid.unsqueeze(2)).unsqueeze(1);
  if (layout.mask().defined()) padding_ = layout.mask().logical_not();
  make_biases(relative_bias);
}

Places Places::with(const at::Tensor& relative_bias) const {
  Places other(*this);
  other.make_biases(relative_bias);
  return other;
}

void Places::make_biases(const at::Tensor& relative_bias) {
  if (architecture_.relative_bias == encoder::RelativeBias::kBuckets && !relative_bias.defined())
    return;  // until with() sets the table
  for (const bool local : {false, true}) {
    if (!local || has_local())
      biases_[local] = make_bias(local ? architecture_.window : 0, relative_bias);
  }
}

at::Tensor Places::make_bias(int64_t window, const at::Tensor& relative_bias) const {
  const Architecture& a = architecture_;
  at::Tensor bias;
  switch (a.relative_bias) {
    case encoder::RelativeBias::kNone: break;
    case encoder::RelativeBias::kBuckets: {
      const int64_t furthest = std::max<int64_t>(distances_.abs().max().item<int64_t>(), 1);
      const at::Tensor buckets = bucket_table(a, furthest)
                                     .to(distances_.device())
                                     .index_select(0, (distances_ + furthest).flatten())
                                     .view(distances_.sizes());
      bias = at::embedding(relative_bias, buckets).squeeze(1).permute({0, 3, 1, 2}).to(at::kFloat);
      break;
    }
    case encoder::RelativeBias::kAlibi: {
      const std::vector<float> slopes = encoder::alibi_slopes(a.num_attention_heads);
      bias = -(to_tensor(slopes, {1, a.num_attention_heads, 1, 1}).to(distances_.device()) *
               distances_.abs());
      break;
    }
  }
  at::Tensor hidden = window > 0 ? distances_.abs() > window : at::Tensor();
  if (a.causal) hidden = hidden.defined() ? hidden.logical_or(distances_ > 0) : distances_ > 0;
  if (!bias.defined() && !hidden.defined()) return {};
  if (padding_.defined()) hidden = hidden.defined() ? hidden.logical_or(padding_) : padding_;
  if (!bias.defined()) bias = at::zeros({1, 1, 1, 1}, hidden.options().dtype(at::kFloat));
  return hidden.defined() ? at::where(hidden, at::full({}, kUnseen, bias.options()), bias) : bias;
}

at::Tensor Places::rotate(const at::Tensor& x, int64_t layer) const {
  const Turns& turns = turns_[is_local(layer)];
  const int64_t width = architecture_.width_of_head();
  if (!turns.cosines.defined()) return x;
  const at::Tensor heads = x.view({x.size(0), -1, width}).to(at::kFloat);
  const at::Tensor a = heads.narrow(2, 0, width / 2), b = heads.narrow(2, width / 2, width / 2);
  return at::cat({a * turns.cosines - b * turns.sines, b * turns.cosines + a * turns.sines}, 2)
      .flatten(1)
      .to(x.scalar_type());
}

}  // namespace contrastive::nn
