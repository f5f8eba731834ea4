#include "core/torch/nn/attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_efficient_attention_forward.h>
#include <ATen/ops/_flash_attention_forward.h>
#include <ATen/ops/add.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <limits>

#include "core/torch/tensors/select_rows.h"

namespace contrastive::nn {

PaddedLayout::PaddedLayout(std::vector<int64_t> offsets, const c10::Device& device, bool drops)
    : offsets_(std::move(offsets)) {
  const int64_t count = texts();
  int64_t shortest = std::numeric_limits<int64_t>::max();
  at::Tensor cumulative = at::empty({count + 1}, at::kInt);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t length = offsets_[static_cast<size_t>(i) + 1] - offsets_[static_cast<size_t>(i)];
    longest_ = std::max(longest_, length);
    shortest = std::min(shortest, length);
  }
  for (int64_t i = 0; i <= count; ++i)
    cumulative.mutable_data_ptr<int32_t>()[i] =
        static_cast<int32_t>(offsets_[static_cast<size_t>(i)]);
  cumulative_ = cumulative.to(device);
  if (drops && !DeviceTokens::draw_on(device)) {
    at::Tensor lengths = at::empty({offsets_.back()}, at::kLong);
    for (size_t i = 0; i + 1 < offsets_.size(); ++i) {
      std::fill(lengths.mutable_data_ptr<int64_t>() + offsets_[i],
                lengths.mutable_data_ptr<int64_t>() + offsets_[i + 1],
                offsets_[i + 1] - offsets_[i]);
    }
    lengths_ = lengths.to(device);
  }
  if (shortest == longest_) {
    if (drops) padding_ = at::zeros({1, 1, 1, 1}, at::TensorOptions(device).dtype(at::kFloat));
    return;
  }
  at::Tensor slots = at::empty({offsets_.back()}, at::kLong);
  at::Tensor mask = at::zeros({count, 1, 1, longest_}, at::kBool);
  int64_t* slot = slots.mutable_data_ptr<int64_t>();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begin = offsets_[static_cast<size_t>(i)],
                  length = offsets_[static_cast<size_t>(i) + 1] - begin;
    for (int64_t t = 0; t < length; ++t) slot[begin + t] = i * longest_ + t;
    std::fill_n(mask.mutable_data_ptr<bool>() + i * longest_, length, true);
  }
  slots_ = slots.to(device);
  mask_ = mask.to(device);
  // Not -infinity: a row without any key would be NaN. Half of the lowest value leaves room for the
  // logit that it is added to.
  if (drops)
    padding_ = mask_.logical_not().to(at::kFloat) * (std::numeric_limits<float>::lowest() / 2);
}

at::Tensor PaddedLayout::pad(const at::Tensor& packed, int64_t heads) const {
  at::Tensor grid = packed;
  if (slots_.defined())
    grid = at::zeros({texts() * longest_, packed.size(1)}, packed.options())
               .index_copy(0, slots_, packed);
  return grid.view({texts(), longest_, heads, -1}).transpose(1, 2);
}

at::Tensor PaddedLayout::unpad(const at::Tensor& padded) const {
  const at::Tensor grid = padded.transpose(1, 2).reshape({texts() * longest_, -1});
  if (!slots_.defined()) return grid;
  // No row occurs twice, so the order in which a GPU sums its gradient makes no difference.
  return grid.is_cuda() ? grid.index_select(0, slots_) : tensors::select_rows(grid, slots_);
}

at::Tensor attention_kept(const PaddedLayout& layout, int64_t heads, const DropoutMasks& masks,
                          int64_t site) {
  const at::Tensor grid = masks.attention_grid(site, heads);
  if (grid.defined()) return grid;
  // A query's bit for a key is at head * (length of its text) + key. After the last key any bit
  // will do, since attention is masked there. Head by head, because each index takes eight bytes.
  const at::Tensor rows = masks.attention_rows(site);  // [tokens, bits]
  at::Tensor places = at::arange(layout.longest(), layout.lengths().options())
                          .expand({rows.size(0), -1})
                          .clone();  // [tokens, longest]
  std::vector<at::Tensor> kept;
  for (int64_t head = 0; head < heads; ++head) {
    kept.push_back(rows.gather(1, places));
    places += layout.lengths().unsqueeze(1);
  }
  return layout.pad(at::cat(kept, 1), heads);
}

namespace {

// LibTorch's kernels for packed texts. They need no padding, but have neither this library's
// dropout nor a gradient here.
enum class PackedKernel { kNone, kFlash, kEfficient };

// Both have kernels only for some head widths; 16 bits are aligned to 8 elements and 32 to 4. The
// flash kernels need the GPUs that have bfloat16.
PackedKernel packed_kernel(const at::Tensor& q, int64_t heads) {
  const int64_t width = q.size(1) / heads;
  const at::ScalarType type = q.scalar_type();
  if (type == at::kBFloat16 && width % 8 == 0 && width <= 256) return PackedKernel::kFlash;
  const int64_t aligned = type == at::kFloat ? 4 : 8;
  return type != at::kDouble && width % aligned == 0 ? PackedKernel::kEfficient
                                                     : PackedKernel::kNone;
}

at::Tensor attend_packed(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                         int64_t heads, const PaddedLayout& layout, PackedKernel kernel) {
  const int64_t tokens = q.size(0), longest = layout.longest();
  const at::Tensor& ends = layout.cumulative();
  const auto split = [&](const at::Tensor& x) { return x.view({tokens, heads, -1}); };
  if (kernel == PackedKernel::kFlash) {
    const auto results = at::_flash_attention_forward(split(q), split(k), split(v), ends, ends,
                                                      longest, longest, 0.0, false, false);
    return std::get<0>(results).reshape({tokens, -1});
  }
  const auto one = [&](const at::Tensor& x) { return split(x).unsqueeze(0); };
  const auto results = at::_efficient_attention_forward(one(q), one(k), one(v), std::nullopt, ends,
                                                        ends, longest, longest, 0.0, 0);
  return std::get<0>(results).reshape({tokens, -1});
}

}  // namespace

at::Tensor attend(const Architecture& architecture, const at::Tensor& q, const at::Tensor& k,
                  const at::Tensor& v, const PaddedLayout& layout, const at::Tensor& bias,
                  const DropoutMasks& masks, int64_t site) {
  const int64_t heads = architecture.num_attention_heads, groups = architecture.key_value_heads();
  const bool differentiable = c10::GradMode::is_enabled() &&
                              (q.requires_grad() || k.requires_grad() || v.requires_grad()),
             plain = !bias.defined() && groups == heads && architecture.attention_scale == 0;
  if (q.is_cuda() && plain && masks.of_attention() == 0 && !differentiable) {
    const PackedKernel kernel = packed_kernel(q, heads);
    if (kernel != PackedKernel::kNone) return attend_packed(q, k, v, heads, layout, kernel);
  }
  const double scale = architecture.scale_of_attention();
  const at::Tensor queries = layout.pad(q, heads);
  at::Tensor keys = layout.pad(k, groups), values = layout.pad(v, groups);
  if (groups != heads) {
    keys = keys.repeat_interleave(heads / groups, 1);
    values = values.repeat_interleave(heads / groups, 1);
  }
  if (masks.of_attention() == 0) {
    std::optional<at::Tensor> mask;
    if (bias.defined()) mask = bias.to(queries.scalar_type());
    else if (layout.mask().defined()) mask = layout.mask();
    return layout.unpad(
        at::scaled_dot_product_attention(queries, keys, values, mask, 0.0, false, scale));
  }
  // At least in float32, because of the type of the bias.
  const at::Tensor logits =
      at::add(bias.defined() ? bias : layout.padding(), at::matmul(queries, keys.transpose(2, 3)),
              scale);  // [texts, heads, T, T]
  const at::Tensor kept = attention_kept(layout, heads, masks, site);
  const at::Tensor probabilities =
      drop_where(at::softmax(logits, -1), kept, 1 / (1 - masks.of_attention()));
  return layout.unpad(at::matmul(probabilities.to(values.scalar_type()), values));
}

}  // namespace contrastive::nn
