#include "core/torch/nn/cpu/layer.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "core/cpu/kernels.h"
#include "core/encoder/scratch.h"
#include "core/torch/tensors/products.h"
#include "core/torch/tensors/recycled_memory.h"
#include "core/torch/nn/cpu/row_sums.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::nn {

namespace {

// How many tokens have their feed-forward states (intermediate_size elements each) in memory at a
// time, besides those that are kept.
constexpr int64_t kBlockTokens = 1024;

const float* data(const at::Tensor& tensor) { return tensor.const_data_ptr<float>(); }
float* out(const at::Tensor& tensor) { return tensor.mutable_data_ptr<float>(); }
const cpu::TrainingKernels& kernel() { return *cpu::kernels().training; }

// The indices in layer_inputs().
enum Input : size_t {
  kState,
  kQuery,
  kQueryBias,
  kKey,
  kKeyBias,
  kValue,
  kValueBias,
  kAttentionOutput,
  kAttentionOutputBias,
  kAttentionGain,
  kAttentionShift,
  kIntermediate,
  kIntermediateBias,
  kOutput,
  kOutputBias,
  kOutputGain,
  kOutputShift,
  kAdapters  // A and B of each, in the order of Product
};

// The products that may have an adapter, in the order of LayerAdapters::all().
enum Product : size_t {
  kQueryProduct,
  kKeyProduct,
  kValueProduct,
  kAttentionOutputProduct,
  kIntermediateProduct,
  kOutputProduct,
  kProducts
};

// One layer of one batch in the forward or the backward pass.
class LayerPass {
 public:
  LayerPass(const TrainingBatch& batch, const TorchLayerWeights& weights,
            const LayerAdapters& adapters, int64_t layer)
      : batch_(batch), w_(weights), layer_(layer), tokens_(batch.tokens()),
        hidden_(batch.architecture.hidden_size), heads_(batch.architecture.num_attention_heads) {
    const std::vector<const LinearAdapter*> all = adapters.all();
    std::copy_n(all.begin(), adapters_.size(), adapters_.begin());
  }

  at::Tensor forward(const at::Tensor& x, LayerActivations& a, bool keep);
  std::vector<at::Tensor> backward(const at::Tensor& x, const LayerActivations& a,
                                   at::Tensor grad_out,
                                   const std::array<bool, kLayerInputs>& wanted);

 private:
  int64_t intermediate() const { return batch_.architecture.intermediate_size; }
  template <class Body>
  void each_block(const Body& body) const {
    for (int64_t begin = 0; begin < tokens_; begin += kBlockTokens)
      body(begin, std::min(kBlockTokens, tokens_ - begin));
  }

  template <class Run>
  void each_head(const at::Tensor& qkv, const DropoutMask& mask, const at::Tensor& log_sums,
                 const Run& run) const;
  // y becomes `normed`.
  void normalize(const at::Tensor& y, const TorchLinear& before, const TorchNorm& norm,
                 const at::Tensor& residual, const DropoutMask& mask, const at::Tensor& scales,
                 const at::Tensor& result) const;
  void activate(const at::Tensor& widened, const at::Tensor& activated, const at::Tensor& grad,
                const at::Tensor& grad_bias) const;
  // Computes the gradients of the norm's input (into `grad_sum`) and of what dropout was applied to
  // (the result; undefined if it is not needed).
  at::Tensor norm_backward(const TorchNorm& norm, const at::Tensor& grad_out,
                           const at::Tensor& normed, const at::Tensor& scales,
                           const DropoutMask& mask, size_t gain, size_t bias, bool deeper,
                           const at::Tensor& grad_sum);
  void feed_forward_backward(const LayerActivations& a, const at::Tensor& grad_y,
                             const at::Tensor& grad_state);
  void attention_backward(const LayerActivations& a, const at::Tensor& x, const at::Tensor& grad_a,
                          const at::Tensor& grad_x);

  // The adapter's input from x, whose first row is the token `first`: x itself if nothing is
  // dropped.
  at::Tensor seen(Product product, const at::Tensor& x, int64_t first) const;
  // y += scale B A dropout(x), for the tokens from `first` on.
  void adapt(Product product, const at::Tensor& y, const at::Tensor& x, int64_t first,
             LayerActivations& a, bool keep) const;
  // Computes the gradients of A and B from that of y. If grad_x is defined, the adapter's part is
  // added to it. `narrowed` [tokens, rank] is scale grad B.
  at::Tensor narrowed(Product product, const at::Tensor& grad) const;
  const DropoutMask& mask_of(Product product,
                             int64_t width) const;  // drawn when it is first needed
  static void drop_rows(const at::Tensor& x, const DropoutMask& mask, int64_t first);
  void adapt_backward(Product product, const at::Tensor& grad, const at::Tensor& narrowed,
                      const at::Tensor& x, int64_t first, const LayerActivations& a);
  void add_to_input(Product product, const at::Tensor& narrowed, int64_t first,
                    const at::Tensor& grad_x) const;

  bool any(size_t begin, size_t end) const {
    return std::any_of(wanted_.begin() + begin, wanted_.begin() + end, [](bool w) { return w; });
  }
  // Whether a gradient is needed for the state, for a weight before the input `end`, or for an
  // adapter before the product `products`.
  bool below(size_t end, size_t products) const {
    return any(kState, end) || any(kAdapters, kAdapters + 2 * products);
  }
  bool wants_adapter(Product product) const {
    return any(kAdapters + 2 * product, kAdapters + 2 * product + 2);
  }
  const at::Tensor& gradient(size_t input, const at::Tensor& like) {
    return gradients_[input] = tensors::recycled(like.sizes());
  }
  void put_columns(size_t input, const at::Tensor& sums, int64_t column) {
    if (wanted_[input]) gradients_[input] = sums.narrow(0, column * hidden_, hidden_).clone();
  }

  const TrainingBatch& batch_;
  const TorchLayerWeights& w_;
  std::array<const LinearAdapter*, kProducts> adapters_;
  const int64_t layer_, tokens_, hidden_, heads_;
  mutable std::array<DropoutMask, kProducts> adapter_masks_;
  std::array<bool, kLayerInputs> wanted_{};
  std::vector<at::Tensor> gradients_ = std::vector<at::Tensor>(kLayerInputs);
};

// Calls run(task, the head's first column, first token) for every text and head; the task lacks
// what only one direction has.
template <class Run>
void LayerPass::each_head(const at::Tensor& qkv, const DropoutMask& mask,
                          const at::Tensor& log_sums, const Run& run) const {
  const int64_t width = hidden_ / heads_;
  runtime::parallel_for(batch_.texts() * heads_, [&](int64_t item) {
    const int64_t head = item % heads_, first = batch_.offsets[static_cast<size_t>(item / heads_)];
    cpu::TextAttentionTask t;
    t.length = batch_.offsets[static_cast<size_t>(item / heads_) + 1] - first;
    t.width = width;
    t.stride = 3 * hidden_;
    t.q = data(qkv) + first * t.stride + head * width;
    t.k = t.q + hidden_;
    t.v = t.k + hidden_;
    t.q_bias = data(w_.query.bias) + head * width;
    t.k_bias = data(w_.key.bias) + head * width;
    t.v_bias = data(w_.value.bias) + head * width;
    t.mask = mask.rows(first);
    t.first_bit = head * t.length;
    t.log_sums = out(log_sums) + head * tokens_ + first;
    t.out_stride = hidden_;
    encoder::Scratch scratch(cpu::text_attention_scratch(t.length, width));
    t.scratch = scratch.take(cpu::text_attention_scratch(t.length, width));
    run(t, head * width, first);
  });
}

void LayerPass::normalize(const at::Tensor& y, const TorchLinear& before, const TorchNorm& norm,
                          const at::Tensor& residual, const DropoutMask& mask,
                          const at::Tensor& scales, const at::Tensor& result) const {
  runtime::parallel_rows(tokens_, [&](int64_t, int64_t begin, int64_t end) {
    cpu::NormTask t;
    t.rows = end - begin;
    t.width = hidden_;
    t.eps = batch_.architecture.layer_norm_eps;
    t.y = data(y) + begin * hidden_;
    t.bias = data(before.bias);
    t.residual = data(residual) + begin * hidden_;
    t.mask = mask.rows(begin);
    t.gain = data(norm.weight);
    t.shift = data(norm.bias);
    t.normed = out(y) + begin * hidden_;
    t.scale = out(scales) + begin;
    t.out = out(result) + begin * hidden_;
    kernel().norm(t);
  });
}

// If grad is undefined, only the forward pass. Otherwise grad becomes the gradient of `widened`,
// and its sum over the rows is written to grad_bias.
void LayerPass::activate(const at::Tensor& widened, const at::Tensor& activated,
                         const at::Tensor& grad, const at::Tensor& grad_bias) const {
  const int64_t rows = widened.size(0), width = intermediate();
  const at::Tensor parts =
      grad.defined() ? at::empty({runtime::row_ranges(rows), width}, at::kFloat) : at::Tensor();
  runtime::parallel_rows(rows, [&](int64_t range, int64_t begin, int64_t end) {
    cpu::ActivationTask t;
    t.rows = end - begin;
    t.width = width;
    t.activation = batch_.architecture.hidden_act;
    t.x = data(widened) + begin * width;
    t.bias = data(w_.intermediate.bias);
    t.activated = out(activated) + begin * width;
    if (grad.defined()) {
      t.grad = out(grad) + begin * width;
      t.grad_bias = out(parts) + range * width;
    }
    kernel().activation(t);
  });
  if (grad.defined()) grad_bias.add_(sum_of_rows(parts));
}

at::Tensor LayerPass::seen(Product product, const at::Tensor& x, int64_t first) const {
  if (batch_.dropout.adapter == 0) return x;
  const at::Tensor dropped = tensors::recycled(x.sizes());
  dropped.copy_(x);
  drop_rows(dropped, mask_of(product, x.size(1)), first);
  return dropped;
}

const DropoutMask& LayerPass::mask_of(Product product, int64_t width) const {
  DropoutMask& mask = adapter_masks_[product];
  if (!mask.bits.defined())
    mask = draw_adapter_mask(batch_.offsets, batch_.dropout, layer_, adapters_[product]->number,
                             width);
  return mask;
}

void LayerPass::drop_rows(const at::Tensor& x, const DropoutMask& mask, int64_t first) {
  const int64_t width = x.size(1);
  runtime::parallel_rows(x.size(0), [&](int64_t, int64_t begin, int64_t end) {
    kernel().drop(out(x) + begin * width, end - begin, width, mask.rows(first + begin));
  });
}

void LayerPass::adapt(Product product, const at::Tensor& y, const at::Tensor& x, int64_t first,
                      LayerActivations& a, bool keep) const {
  const LinearAdapter& adapter = *adapters_[product];
  if (!adapter.defined()) return;
  const int64_t rank = adapter.a.size(0);
  at::Tensor& kept = a.lowered[product];
  if (!kept.defined()) kept = tensors::recycled({keep ? tokens_ : x.size(0), rank});
  const at::Tensor lowered = keep ? kept.narrow(0, first, x.size(0)) : kept.narrow(0, 0, x.size(0));
  tensors::multiply(lowered, seen(product, x, first), adapter.a.t());
  lowered.mul_(adapter.scale);
  tensors::multiply(y, lowered, adapter.b.t(), true);
}

at::Tensor LayerPass::narrowed(Product product, const at::Tensor& grad) const {
  const LinearAdapter& adapter = *adapters_[product];
  const at::Tensor result = tensors::recycled({grad.size(0), adapter.a.size(0)});
  tensors::multiply(result, grad, adapter.b);
  return result.mul_(adapter.scale);
}

void LayerPass::adapt_backward(Product product, const at::Tensor& grad, const at::Tensor& narrowed,
                               const at::Tensor& x, int64_t first, const LayerActivations& a) {
  const LinearAdapter& adapter = *adapters_[product];
  const size_t input = kAdapters + 2 * product;
  const bool add =
      gradients_[input].defined() || gradients_[input + 1].defined();  // a block before this one
  if (wanted_[input]) {
    if (!add) gradient(input, adapter.a);
    tensors::multiply(gradients_[input], narrowed.t(), seen(product, x, first), add);
  }
  if (wanted_[input + 1]) {
    if (!add) gradient(input + 1, adapter.b);
    tensors::multiply(gradients_[input + 1], grad.t(),
                      a.lowered[product].narrow(0, first, x.size(0)), add);
  }
}

void LayerPass::add_to_input(Product product, const at::Tensor& narrowed, int64_t first,
                             const at::Tensor& grad_x) const {
  const LinearAdapter& adapter = *adapters_[product];
  if (batch_.dropout.adapter == 0) return tensors::multiply(grad_x, narrowed, adapter.a, true);
  const at::Tensor part = tensors::recycled({grad_x.size(0), adapter.a.size(1)});
  tensors::multiply(part, narrowed, adapter.a);
  drop_rows(part, mask_of(product, part.size(1)), first);
  const int64_t width = part.size(1);
  runtime::parallel_rows(part.size(0), [&](int64_t, int64_t begin, int64_t end) {
    const float* from = data(part) + begin * width;
    float* to = out(grad_x) + begin * width;
    for (int64_t i = 0; i < (end - begin) * width; ++i) to[i] += from[i];
  });
}

at::Tensor LayerPass::forward(const at::Tensor& x, LayerActivations& a, bool keep) {
  a.attention_mask =
      draw_attention_mask(batch_.offsets, batch_.dropout, attention_site(layer_), heads_);
  a.attention_output_mask =
      draw_mask(batch_.offsets, batch_.dropout, batch_.architecture.drop_attention_output,
                attention_output_site(layer_), hidden_);
  a.output_mask = draw_mask(batch_.offsets, batch_.dropout, batch_.architecture.drop_output,
                            output_site(layer_), hidden_);
  a.qkv = tensors::recycled({tokens_, 3 * hidden_});
  const TorchLinear* projections[] = {&w_.query, &w_.key, &w_.value};
  for (int64_t i = 0; i < 3; ++i) {
    const at::Tensor columns = a.qkv.narrow(1, i * hidden_, hidden_);
    tensors::multiply(columns, x, projections[i]->weight.t());
    adapt(static_cast<Product>(i), columns, x, 0, a, keep);
  }
  a.log_sums = at::empty({heads_, tokens_}, at::kFloat);
  a.attended = tensors::recycled({tokens_, hidden_});
  each_head(a.qkv, a.attention_mask, a.log_sums,
            [&](cpu::TextAttentionTask& t, int64_t column, int64_t first) {
              t.out = out(a.attended) + first * hidden_ + column;
              kernel().attention(t);
            });
  for (at::Tensor& scales : a.scales) scales = at::empty({tokens_}, at::kFloat);
  a.normed[0] = tensors::recycled({tokens_, hidden_});
  tensors::multiply(a.normed[0], a.attended, w_.attention_output.weight.t());
  adapt(kAttentionOutputProduct, a.normed[0], a.attended, 0, a, keep);
  if (!keep) a.qkv = a.attended = at::Tensor();
  const at::Tensor state = tensors::recycled({tokens_, hidden_}),
                   result = tensors::recycled({tokens_, hidden_});
  normalize(a.normed[0], w_.attention_output, w_.attention_norm, x, a.attention_output_mask,
            a.scales[0], state);
  if (keep) a.widened = tensors::recycled({tokens_, intermediate()});
  a.normed[1] = tensors::recycled({tokens_, hidden_});
  const at::Tensor activated = tensors::recycled({std::min(tokens_, kBlockTokens), intermediate()});
  each_block([&](int64_t begin, int64_t count) {
    const at::Tensor block = activated.narrow(0, 0, count),
                     widened = keep ? a.widened.narrow(0, begin, count) : block;
    tensors::multiply(widened, state.narrow(0, begin, count), w_.intermediate.weight.t());
    adapt(kIntermediateProduct, widened, state.narrow(0, begin, count), begin, a, keep);
    activate(widened, block, {}, {});
    tensors::multiply(a.normed[1].narrow(0, begin, count), block, w_.output.weight.t());
    adapt(kOutputProduct, a.normed[1].narrow(0, begin, count), block, begin, a, keep);
  });
  normalize(a.normed[1], w_.output, w_.output_norm, state, a.output_mask, a.scales[1], result);
  return result;
}

at::Tensor LayerPass::norm_backward(const TorchNorm& norm, const at::Tensor& grad_out,
                                    const at::Tensor& normed, const at::Tensor& scales,
                                    const DropoutMask& mask, size_t gain, size_t bias, bool deeper,
                                    const at::Tensor& grad_sum) {
  const at::Tensor grad_y = deeper ? tensors::recycled({tokens_, hidden_}) : at::Tensor();
  const at::Tensor parts = at::empty({runtime::row_ranges(tokens_), 3 * hidden_}, at::kFloat);
  runtime::parallel_rows(tokens_, [&](int64_t range, int64_t begin, int64_t end) {
    cpu::NormBackwardTask t;
    t.rows = end - begin;
    t.width = hidden_;
    t.grad_out = data(grad_out) + begin * hidden_;
    t.normed = data(normed) + begin * hidden_;
    t.scale = data(scales) + begin;
    t.gain = data(norm.weight);
    t.mask = mask.rows(begin);
    t.grad_sum = out(grad_sum) + begin * hidden_;
    if (deeper) t.grad_y = out(grad_y) + begin * hidden_;
    t.grad_gain = out(parts) + range * 3 * hidden_;
    t.grad_shift = t.grad_gain + hidden_;
    t.grad_bias = t.grad_shift + hidden_;
    kernel().norm_backward(t);
  });
  const at::Tensor sums = sum_of_rows(parts);
  put_columns(gain, sums, 0);
  put_columns(gain + 1, sums, 1);
  put_columns(bias, sums, 2);
  return grad_y;
}

// grad_state [tokens, hidden] contains the residual's gradient on entry and the whole gradient of
// the state between the blocks on return.
void LayerPass::feed_forward_backward(const LayerActivations& a, const at::Tensor& grad_y,
                                      const at::Tensor& grad_state) {
  const bool deeper = below(kIntermediate, kIntermediateProduct),
             products = below(kOutput, kOutputProduct);
  const bool adapts = adapters_[kOutputProduct]->defined(),
             widens = adapters_[kIntermediateProduct]->defined();
  const bool state_again = wanted_[kIntermediate] || wants_adapter(kIntermediateProduct);
  const int64_t most = std::min(tokens_, kBlockTokens);
  const at::Tensor activated = tensors::recycled({most, intermediate()}),
                   grads = products ? tensors::recycled({most, intermediate()}) : at::Tensor();
  const at::Tensor state = state_again ? tensors::recycled({most, hidden_}) : at::Tensor();
  const at::Tensor grad_bias = at::zeros({intermediate()}, at::kFloat);
  if (wanted_[kOutput]) gradient(kOutput, w_.output.weight);
  if (wanted_[kIntermediate]) gradient(kIntermediate, w_.intermediate.weight);
  each_block([&](int64_t begin, int64_t count) {
    const at::Tensor grad = grad_y.narrow(0, begin, count), block = activated.narrow(0, 0, count);
    const at::Tensor widened = products ? grads.narrow(0, 0, count) : at::Tensor();
    const at::Tensor low = adapts ? narrowed(kOutputProduct, grad) : at::Tensor();
    if (products) tensors::multiply(widened, grad, w_.output.weight);
    if (products && adapts) add_to_input(kOutputProduct, low, begin, widened);
    activate(a.widened.narrow(0, begin, count), block, widened, grad_bias);
    if (wanted_[kOutput]) tensors::multiply(gradients_[kOutput], grad.t(), block, begin > 0);
    if (wants_adapter(kOutputProduct)) adapt_backward(kOutputProduct, grad, low, block, begin, a);
    const at::Tensor inner =
        widens && products ? narrowed(kIntermediateProduct, widened) : at::Tensor();
    if (state_again) {
      const at::Tensor x = state.narrow(0, 0, count);
      runtime::parallel_rows(count, [&](int64_t, int64_t from, int64_t to) {
        kernel().scale_shift(data(a.normed[0]) + (begin + from) * hidden_,
                             data(w_.attention_norm.weight), data(w_.attention_norm.bias),
                             to - from, hidden_, out(x) + from * hidden_);
      });
      if (wanted_[kIntermediate])
        tensors::multiply(gradients_[kIntermediate], widened.t(), x, begin > 0);
      if (wants_adapter(kIntermediateProduct))
        adapt_backward(kIntermediateProduct, widened, inner, x, begin, a);
    }
    if (deeper)
      tensors::multiply(grad_state.narrow(0, begin, count), widened, w_.intermediate.weight, true);
    if (deeper && widens)
      add_to_input(kIntermediateProduct, inner, begin, grad_state.narrow(0, begin, count));
  });
  if (wanted_[kIntermediateBias]) gradients_[kIntermediateBias] = grad_bias;
}

// If defined, grad_x [tokens, hidden] contains the residual's gradient on entry and the whole
// gradient of x on return.
void LayerPass::attention_backward(const LayerActivations& a, const at::Tensor& x,
                                   const at::Tensor& grad_a, const at::Tensor& grad_x) {
  if (wanted_[kAttentionOutput])
    tensors::multiply(gradient(kAttentionOutput, w_.attention_output.weight), grad_a.t(),
                      a.attended);
  const bool adapts = adapters_[kAttentionOutputProduct]->defined();
  const at::Tensor low = adapts ? narrowed(kAttentionOutputProduct, grad_a) : at::Tensor();
  if (wants_adapter(kAttentionOutputProduct))
    adapt_backward(kAttentionOutputProduct, grad_a, low, a.attended, 0, a);
  if (!below(kAttentionOutput, kAttentionOutputProduct)) return;
  const at::Tensor grad_attended = tensors::recycled({tokens_, hidden_}),
                   grad_qkv = tensors::recycled({tokens_, 3 * hidden_});
  tensors::multiply(grad_attended, grad_a, w_.attention_output.weight);
  if (adapts) add_to_input(kAttentionOutputProduct, low, 0, grad_attended);
  each_head(a.qkv, a.attention_mask, a.log_sums,
            [&](cpu::TextAttentionTask& t, int64_t column, int64_t first) {
              t.grad_out = data(grad_attended) + first * hidden_ + column;
              t.grad_q = out(grad_qkv) + first * t.stride + column;
              t.grad_k = t.grad_q + hidden_;
              t.grad_v = t.grad_k + hidden_;
              kernel().attention_backward(t);
            });
  const TorchLinear* projections[] = {&w_.query, &w_.key, &w_.value};
  for (size_t i = 0; i < 3; ++i) {
    const at::Tensor grad = grad_qkv.narrow(1, static_cast<int64_t>(i) * hidden_, hidden_);
    if (wanted_[kQuery + 2 * i])
      tensors::multiply(gradient(kQuery + 2 * i, projections[i]->weight), grad.t(), x);
    if (wanted_[kQueryBias + 2 * i]) gradients_[kQueryBias + 2 * i] = sum_of_rows(grad);
    if (wanted_[kState]) tensors::multiply(grad_x, grad, projections[i]->weight, true);
    const auto product = static_cast<Product>(i);
    if (!adapters_[i]->defined()) continue;
    const at::Tensor inner = narrowed(product, grad);
    if (wants_adapter(product)) adapt_backward(product, grad, inner, x, 0, a);
    if (wanted_[kState]) add_to_input(product, inner, 0, grad_x);
  }
}

std::vector<at::Tensor> LayerPass::backward(const at::Tensor& x, const LayerActivations& a,
                                            at::Tensor grad_out,
                                            const std::array<bool, kLayerInputs>& wanted) {
  wanted_ = wanted;
  grad_out = grad_out.contiguous();
  const at::Tensor grad_sum = tensors::recycled({tokens_, hidden_});
  const at::Tensor grad_y =
      norm_backward(w_.output_norm, grad_out, a.normed[1], a.scales[1], a.output_mask, kOutputGain,
                    kOutputBias, below(kOutputGain, kProducts), grad_sum);
  if (below(kOutputBias, kProducts)) feed_forward_backward(a, grad_y, grad_sum);
  if (!below(kIntermediate, kIntermediateProduct)) return std::move(gradients_);
  const at::Tensor grad_a =
      norm_backward(w_.attention_norm, grad_sum, a.normed[0], a.scales[0], a.attention_output_mask,
                    kAttentionGain, kAttentionOutputBias,
                    below(kAttentionGain, kIntermediateProduct), grad_sum);
  if (below(kAttentionOutputBias, kIntermediateProduct)) attention_backward(a, x, grad_a, grad_sum);
  if (wanted_[kState]) gradients_[kState] = grad_sum;
  return std::move(gradients_);
}

}  // namespace

std::vector<at::Tensor> layer_inputs(const at::Tensor& x, const TorchLayerWeights& w,
                                     const LayerAdapters& adapters) {
  std::vector<at::Tensor> inputs{x};
  for (const TorchLinear* linear : {&w.query, &w.key, &w.value, &w.attention_output})
    inputs.insert(inputs.end(), {linear->weight, linear->bias});
  inputs.insert(inputs.end(), {w.attention_norm.weight, w.attention_norm.bias,
                               w.intermediate.weight, w.intermediate.bias, w.output.weight,
                               w.output.bias, w.output_norm.weight, w.output_norm.bias});
  const std::vector<const LinearAdapter*> all = adapters.all();
  for (size_t i = 0; i < kProducts; ++i) {
    TORCH_CHECK(!all[i]->defined() || all[i]->rows == all[i]->b.size(0),
                "an adapter of several linears is not trained by the kernels");
    inputs.insert(inputs.end(), {all[i]->a, all[i]->b});
  }
  return inputs;
}

at::Tensor layer_forward(const TrainingBatch& batch, const TorchLayerWeights& weights,
                         const LayerAdapters& adapters, int64_t layer, const at::Tensor& x,
                         LayerActivations* keep) {
  const c10::NoGradGuard no_grad;
  LayerActivations passing;
  return LayerPass(batch, weights, adapters, layer)
      .forward(x, keep != nullptr ? *keep : passing, keep != nullptr);
}

std::vector<at::Tensor> layer_backward(const TrainingBatch& batch, const TorchLayerWeights& weights,
                                       const LayerAdapters& adapters, int64_t layer,
                                       const at::Tensor& x, const LayerActivations& kept,
                                       const at::Tensor& grad_out,
                                       const std::array<bool, kLayerInputs>& wanted) {
  const c10::NoGradGuard no_grad;
  return LayerPass(batch, weights, adapters, layer).backward(x, kept, grad_out, wanted);
}

}  // namespace contrastive::nn
