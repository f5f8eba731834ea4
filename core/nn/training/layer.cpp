#include "core/nn/training/layer.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "core/encoder/kernels/kernel_table.h"
#include "core/encoder/scratch.h"
#include "core/libtorch/products.h"
#include "core/libtorch/recycled_memory.h"
#include "core/nn/training/row_sums.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::nn {

namespace {

// Tokens whose feed-forward states (intermediate_size numbers each) exist at a time, beside those that are kept.
constexpr int64_t kBlockTokens = 1024;

const float* data(const at::Tensor& tensor) { return tensor.const_data_ptr<float>(); }
float* out(const at::Tensor& tensor) { return tensor.mutable_data_ptr<float>(); }
const encoder::kernels::TrainingKernels& kernel() { return encoder::kernels::best_kernels().training; }

// The places of layer_inputs().
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
  kOutputShift
};

// One layer of one batch on its way forward or back.
class LayerPass {
 public:
  LayerPass(const TrainingBatch& batch, const LayerWeights& weights)
      : batch_(batch), w_(weights), tokens_(batch.tokens()), hidden_(batch.architecture.hidden_size), heads_(batch.architecture.num_attention_heads) {}

  at::Tensor forward(int64_t layer, const at::Tensor& x, LayerActivations& a, bool keep);
  std::vector<at::Tensor> backward(const at::Tensor& x, const LayerActivations& a, at::Tensor grad_out, const std::array<bool, kLayerInputs>& wanted);

 private:
  int64_t intermediate() const { return batch_.architecture.intermediate_size; }
  template <class Body>
  void each_block(const Body& body) const {
    for (int64_t begin = 0; begin < tokens_; begin += kBlockTokens) body(begin, std::min(kBlockTokens, tokens_ - begin));
  }

  template <class Run>
  void each_head(const at::Tensor& qkv, const DropoutMask& mask, const at::Tensor& log_sums, const Run& run) const;
  // y becomes `normed`.
  void normalize(const at::Tensor& y, const Linear& before, const Norm& norm, const at::Tensor& residual, const DropoutMask& mask,
                 const at::Tensor& scales, const at::Tensor& result) const;
  void activate(const at::Tensor& widened, const at::Tensor& activated, const at::Tensor& grad, const at::Tensor& grad_bias) const;
  // Gradients of the norm's input (into `grad_sum`) and of what dropout was applied to (result; undefined when nobody needs it).
  at::Tensor norm_backward(const Norm& norm, const at::Tensor& grad_out, const at::Tensor& normed, const at::Tensor& scales, const DropoutMask& mask,
                           size_t gain, size_t bias, bool deeper, const at::Tensor& grad_sum);
  void feed_forward_backward(const LayerActivations& a, const at::Tensor& grad_y, const at::Tensor& grad_state);
  void attention_backward(const LayerActivations& a, const at::Tensor& x, const at::Tensor& grad_a, const at::Tensor& grad_x);

  bool any(size_t begin, size_t end) const {
    return std::any_of(wanted_.begin() + begin, wanted_.begin() + end, [](bool w) { return w; });
  }
  const at::Tensor& gradient(size_t input, const at::Tensor& like) { return gradients_[input] = libtorch::recycled(like.sizes()); }
  void put_columns(size_t input, const at::Tensor& sums, int64_t column) {
    if (wanted_[input]) gradients_[input] = sums.narrow(0, column * hidden_, hidden_).clone();
  }

  const TrainingBatch& batch_;
  const LayerWeights& w_;
  const int64_t tokens_, hidden_, heads_;
  std::array<bool, kLayerInputs> wanted_{};
  std::vector<at::Tensor> gradients_ = std::vector<at::Tensor>(kLayerInputs);
};

// run(task, head's first column, first token) for every text and head; the task lacks what only one direction has.
template <class Run>
void LayerPass::each_head(const at::Tensor& qkv, const DropoutMask& mask, const at::Tensor& log_sums, const Run& run) const {
  const int64_t width = hidden_ / heads_;
  runtime::parallel_for(batch_.texts() * heads_, [&](int64_t item) {
    const int64_t head = item % heads_, first = batch_.offsets[static_cast<size_t>(item / heads_)];
    encoder::kernels::TextAttentionTask t;
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
    encoder::Scratch scratch(encoder::kernels::text_attention_scratch(t.length, width));
    t.scratch = scratch.take(encoder::kernels::text_attention_scratch(t.length, width));
    run(t, head * width, first);
  });
}

void LayerPass::normalize(const at::Tensor& y, const Linear& before, const Norm& norm, const at::Tensor& residual, const DropoutMask& mask,
                          const at::Tensor& scales, const at::Tensor& result) const {
  runtime::parallel_rows(tokens_, [&](int64_t, int64_t begin, int64_t end) {
    encoder::kernels::NormTask t;
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

// grad undefined: forward only. Else it becomes the gradient of `widened`, and its sum over the rows is written to grad_bias.
void LayerPass::activate(const at::Tensor& widened, const at::Tensor& activated, const at::Tensor& grad, const at::Tensor& grad_bias) const {
  const int64_t rows = widened.size(0), width = intermediate();
  const at::Tensor parts = grad.defined() ? at::empty({runtime::row_ranges(rows), width}, at::kFloat) : at::Tensor();
  runtime::parallel_rows(rows, [&](int64_t range, int64_t begin, int64_t end) {
    encoder::kernels::ActivationTask t;
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

at::Tensor LayerPass::forward(int64_t layer, const at::Tensor& x, LayerActivations& a, bool keep) {
  a.attention_mask = draw_attention_mask(batch_.offsets, batch_.dropout, attention_site(layer), heads_);
  a.attention_output_mask = draw_mask(batch_.offsets, batch_.dropout, batch_.architecture.drop_attention_output, attention_output_site(layer), hidden_);
  a.output_mask = draw_mask(batch_.offsets, batch_.dropout, batch_.architecture.drop_output, output_site(layer), hidden_);
  a.qkv = libtorch::recycled({tokens_, 3 * hidden_});
  const Linear* projections[] = {&w_.query, &w_.key, &w_.value};
  for (int64_t i = 0; i < 3; ++i) libtorch::multiply(a.qkv.narrow(1, i * hidden_, hidden_), x, projections[i]->weight.t());
  a.log_sums = at::empty({heads_, tokens_}, at::kFloat);
  a.attended = libtorch::recycled({tokens_, hidden_});
  each_head(a.qkv, a.attention_mask, a.log_sums, [&](encoder::kernels::TextAttentionTask& t, int64_t column, int64_t first) {
    t.out = out(a.attended) + first * hidden_ + column;
    kernel().attention(t);
  });
  for (at::Tensor& scales : a.scales) scales = at::empty({tokens_}, at::kFloat);
  a.normed[0] = libtorch::recycled({tokens_, hidden_});
  libtorch::multiply(a.normed[0], a.attended, w_.attention_output.weight.t());
  if (!keep) a.qkv = a.attended = at::Tensor();
  const at::Tensor state = libtorch::recycled({tokens_, hidden_}), result = libtorch::recycled({tokens_, hidden_});
  normalize(a.normed[0], w_.attention_output, w_.attention_norm, x, a.attention_output_mask, a.scales[0], state);
  if (keep) a.widened = libtorch::recycled({tokens_, intermediate()});
  a.normed[1] = libtorch::recycled({tokens_, hidden_});
  const at::Tensor activated = libtorch::recycled({std::min(tokens_, kBlockTokens), intermediate()});
  each_block([&](int64_t begin, int64_t count) {
    const at::Tensor block = activated.narrow(0, 0, count), widened = keep ? a.widened.narrow(0, begin, count) : block;
    libtorch::multiply(widened, state.narrow(0, begin, count), w_.intermediate.weight.t());
    activate(widened, block, {}, {});
    libtorch::multiply(a.normed[1].narrow(0, begin, count), block, w_.output.weight.t());
  });
  normalize(a.normed[1], w_.output, w_.output_norm, state, a.output_mask, a.scales[1], result);
  return result;
}

at::Tensor LayerPass::norm_backward(const Norm& norm, const at::Tensor& grad_out, const at::Tensor& normed, const at::Tensor& scales,
                                    const DropoutMask& mask, size_t gain, size_t bias, bool deeper, const at::Tensor& grad_sum) {
  const at::Tensor grad_y = deeper ? libtorch::recycled({tokens_, hidden_}) : at::Tensor();
  const at::Tensor parts = at::empty({runtime::row_ranges(tokens_), 3 * hidden_}, at::kFloat);
  runtime::parallel_rows(tokens_, [&](int64_t range, int64_t begin, int64_t end) {
    encoder::kernels::NormBackwardTask t;
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

// grad_state [tokens, hidden] comes with the residual's gradient and leaves with the whole gradient of the state between the blocks.
void LayerPass::feed_forward_backward(const LayerActivations& a, const at::Tensor& grad_y, const at::Tensor& grad_state) {
  const bool below = any(kState, kIntermediate), products = below || any(kIntermediate, kOutput);
  const int64_t most = std::min(tokens_, kBlockTokens);
  const at::Tensor activated = libtorch::recycled({most, intermediate()}), grads = products ? libtorch::recycled({most, intermediate()}) : at::Tensor();
  const at::Tensor state = wanted_[kIntermediate] ? libtorch::recycled({most, hidden_}) : at::Tensor();
  const at::Tensor grad_bias = at::zeros({intermediate()}, at::kFloat);
  if (wanted_[kOutput]) gradient(kOutput, w_.output.weight);
  if (wanted_[kIntermediate]) gradient(kIntermediate, w_.intermediate.weight);
  each_block([&](int64_t begin, int64_t count) {
    const at::Tensor grad = grad_y.narrow(0, begin, count), block = activated.narrow(0, 0, count);
    const at::Tensor widened = products ? grads.narrow(0, 0, count) : at::Tensor();
    if (products) libtorch::multiply(widened, grad, w_.output.weight);
    activate(a.widened.narrow(0, begin, count), block, widened, grad_bias);
    if (wanted_[kOutput]) libtorch::multiply(gradients_[kOutput], grad.t(), block, begin > 0);
    if (wanted_[kIntermediate]) {
      const at::Tensor x = state.narrow(0, 0, count);
      runtime::parallel_rows(count, [&](int64_t, int64_t from, int64_t to) {
        kernel().scale_shift(data(a.normed[0]) + (begin + from) * hidden_, data(w_.attention_norm.weight), data(w_.attention_norm.bias), to - from,
                             hidden_, out(x) + from * hidden_);
      });
      libtorch::multiply(gradients_[kIntermediate], widened.t(), x, begin > 0);
    }
    if (below) libtorch::multiply(grad_state.narrow(0, begin, count), widened, w_.intermediate.weight, true);
  });
  if (wanted_[kIntermediateBias]) gradients_[kIntermediateBias] = grad_bias;
}

// grad_x [tokens, hidden], where defined, comes with the residual's gradient and leaves with the whole gradient of x.
void LayerPass::attention_backward(const LayerActivations& a, const at::Tensor& x, const at::Tensor& grad_a, const at::Tensor& grad_x) {
  if (wanted_[kAttentionOutput]) libtorch::multiply(gradient(kAttentionOutput, w_.attention_output.weight), grad_a.t(), a.attended);
  if (!any(kState, kAttentionOutput)) return;
  const at::Tensor grad_attended = libtorch::recycled({tokens_, hidden_}), grad_qkv = libtorch::recycled({tokens_, 3 * hidden_});
  libtorch::multiply(grad_attended, grad_a, w_.attention_output.weight);
  each_head(a.qkv, a.attention_mask, a.log_sums, [&](encoder::kernels::TextAttentionTask& t, int64_t column, int64_t first) {
    t.grad_out = data(grad_attended) + first * hidden_ + column;
    t.grad_q = out(grad_qkv) + first * t.stride + column;
    t.grad_k = t.grad_q + hidden_;
    t.grad_v = t.grad_k + hidden_;
    kernel().attention_backward(t);
  });
  const Linear* projections[] = {&w_.query, &w_.key, &w_.value};
  for (size_t i = 0; i < 3; ++i) {
    const at::Tensor grad = grad_qkv.narrow(1, static_cast<int64_t>(i) * hidden_, hidden_);
    if (wanted_[kQuery + 2 * i]) libtorch::multiply(gradient(kQuery + 2 * i, projections[i]->weight), grad.t(), x);
    if (wanted_[kQueryBias + 2 * i]) gradients_[kQueryBias + 2 * i] = sum_of_rows(grad);
    if (wanted_[kState]) libtorch::multiply(grad_x, grad, projections[i]->weight, true);
  }
}

std::vector<at::Tensor> LayerPass::backward(const at::Tensor& x, const LayerActivations& a, at::Tensor grad_out,
                                            const std::array<bool, kLayerInputs>& wanted) {
  wanted_ = wanted;
  grad_out = grad_out.contiguous();
  const at::Tensor grad_sum = libtorch::recycled({tokens_, hidden_});
  const at::Tensor grad_y =
      norm_backward(w_.output_norm, grad_out, a.normed[1], a.scales[1], a.output_mask, kOutputGain, kOutputBias, any(kState, kOutputGain), grad_sum);
  if (any(kState, kOutputBias)) feed_forward_backward(a, grad_y, grad_sum);
  if (!any(kState, kIntermediate)) return std::move(gradients_);
  const at::Tensor grad_a = norm_backward(w_.attention_norm, grad_sum, a.normed[0], a.scales[0], a.attention_output_mask, kAttentionGain,
                                          kAttentionOutputBias, any(kState, kAttentionGain), grad_sum);
  if (any(kState, kAttentionOutputBias)) attention_backward(a, x, grad_a, grad_sum);
  if (wanted_[kState]) gradients_[kState] = grad_sum;
  return std::move(gradients_);
}

}  // namespace

std::vector<at::Tensor> layer_inputs(const at::Tensor& x, const LayerWeights& w) {
  std::vector<at::Tensor> inputs{x};
  for (const Linear* linear : {&w.query, &w.key, &w.value, &w.attention_output}) inputs.insert(inputs.end(), {linear->weight, linear->bias});
  inputs.insert(inputs.end(), {w.attention_norm.weight, w.attention_norm.bias, w.intermediate.weight, w.intermediate.bias, w.output.weight,
                               w.output.bias, w.output_norm.weight, w.output_norm.bias});
  return inputs;
}

at::Tensor layer_forward(const TrainingBatch& batch, const LayerWeights& weights, int64_t layer, const at::Tensor& x, LayerActivations* keep) {
  const c10::NoGradGuard no_grad;
  LayerActivations passing;
  return LayerPass(batch, weights).forward(layer, x, keep != nullptr ? *keep : passing, keep != nullptr);
}

std::vector<at::Tensor> layer_backward(const TrainingBatch& batch, const LayerWeights& weights, const at::Tensor& x, const LayerActivations& kept,
                                       const at::Tensor& grad_out, const std::array<bool, kLayerInputs>& wanted) {
  const c10::NoGradGuard no_grad;
  return LayerPass(batch, weights).backward(x, kept, grad_out, wanted);
}

}  // namespace contrastive::nn
