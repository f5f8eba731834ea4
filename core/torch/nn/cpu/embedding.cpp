#include "core/torch/nn/cpu/embedding.h"

#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <numeric>

#include "core/cpu/kernels.h"
#include "core/torch/tensors/recycled_memory.h"
#include "core/torch/nn/cpu/row_sums.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::nn {

namespace {

const float* data(const at::Tensor& tensor) { return tensor.const_data_ptr<float>(); }
float* out(const at::Tensor& tensor) { return tensor.mutable_data_ptr<float>(); }
const cpu::TrainingKernels& kernel() { return *cpu::kernels().training; }

// The gradient of a table: each row is the sum of the gradients of the tokens that used it, in the
// order of the tokens for any number of threads. The row `untrained` gets none.
at::Tensor table_gradient(const at::Tensor& table, const std::vector<int32_t>& rows,
                          int64_t untrained, const at::Tensor& grad) {
  const at::Tensor gradient = tensors::recycled_zeros(table.sizes());
  const int64_t width = table.size(1);
  std::vector<int64_t> order(rows.size()), starts;
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return rows[static_cast<size_t>(a)] < rows[static_cast<size_t>(b)];
  });
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || rows[static_cast<size_t>(order[i])] != rows[static_cast<size_t>(order[i - 1])])
      starts.push_back(static_cast<int64_t>(i));
  }
  starts.push_back(static_cast<int64_t>(order.size()));
  constexpr int64_t kColumns = 128;  // so that a table of two types occupies more than two threads
  const int64_t pieces = (width + kColumns - 1) / kColumns;
  runtime::parallel_for((static_cast<int64_t>(starts.size()) - 1) * pieces, [&](int64_t item) {
    const auto run = static_cast<size_t>(item / pieces);
    const int64_t first = item % pieces * kColumns, end = std::min(width, first + kColumns);
    if (rows[static_cast<size_t>(order[static_cast<size_t>(starts[run])])] == untrained) return;
    for (int64_t i = starts[run]; i < starts[run + 1]; ++i) {
      const int64_t token = order[static_cast<size_t>(i)];
      const float* from = data(grad) + token * width;
      float* to = out(gradient) + rows[static_cast<size_t>(token)] * width;
      for (int64_t h = first; h < end; ++h) to[h] += from[h];
    }
  });
  return gradient;
}

}  // namespace

EmbeddingRows embedding_rows(const Architecture& architecture, const PackedTokens& tokens) {
  EmbeddingRows result;
  const auto count = static_cast<size_t>(tokens.tokens());
  result.rows[0].assign(tokens.ids, tokens.ids + count);
  result.rows[1] = encoder::position_rows(architecture, tokens);
  if (tokens.type_ids != nullptr) {
    result.rows[2].assign(tokens.type_ids, tokens.type_ids + count);
  } else {
    result.rows[2].resize(count);
  }
  return result;
}

std::vector<at::Tensor> embedding_inputs(const TorchEmbeddingWeights& w) {
  return {w.words, w.positions, w.types, w.norm.weight, w.norm.bias};
}

at::Tensor embedding_forward(const TrainingBatch& batch, const TorchEmbeddingWeights& w,
                             const EmbeddingRows& rows, EmbeddingActivations& kept) {
  const c10::NoGradGuard no_grad;
  const int64_t tokens = batch.tokens(), hidden = batch.architecture.hidden_size;
  kept.mask = draw_mask(batch.offsets, batch.dropout, batch.architecture.drop_embeddings,
                        kEmbeddingSite, hidden);
  kept.normed = tensors::recycled({tokens, hidden});
  kept.scales = at::empty({tokens}, at::kFloat);
  const at::Tensor result = tensors::recycled({tokens, hidden});
  runtime::parallel_rows(tokens, [&](int64_t, int64_t begin, int64_t end) {
    for (int64_t token = begin; token < end; ++token) {
      const auto t = static_cast<size_t>(token);
      const float* word = data(w.words) + rows.rows[0][t] * hidden;
      const float* position = data(w.positions) + rows.rows[1][t] * hidden;
      float* sum = out(kept.normed) + token * hidden;
      if (!w.types.defined()) {
        for (int64_t i = 0; i < hidden; ++i) sum[i] = word[i] + position[i];
        continue;
      }
      const float* type = data(w.types) + rows.rows[2][t] * hidden;
      for (int64_t i = 0; i < hidden; ++i) sum[i] = (word[i] + type[i]) + position[i];
    }
    cpu::NormTask t;
    t.rows = end - begin;
    t.width = hidden;
    t.eps = batch.architecture.layer_norm_eps;
    t.y = t.normed = out(kept.normed) + begin * hidden;
    t.gain = data(w.norm.weight);
    t.shift = data(w.norm.bias);
    t.scale = out(kept.scales) + begin;
    t.out = out(result) + begin * hidden;
    kernel().norm(t);
    kernel().drop(t.out, t.rows, hidden, kept.mask.rows(begin));
  });
  return result;
}

std::vector<at::Tensor> embedding_backward(const TrainingBatch& batch,
                                           const TorchEmbeddingWeights& w,
                                           const EmbeddingRows& rows,
                                           const EmbeddingActivations& kept,
                                           const at::Tensor& grad_out,
                                           const std::array<bool, kEmbeddingInputs>& wanted) {
  const c10::NoGradGuard no_grad;
  const int64_t tokens = batch.tokens(), hidden = batch.architecture.hidden_size;
  const at::Tensor grad = tensors::recycled({tokens, hidden}),
                   parts = at::empty({runtime::row_ranges(tokens), 3 * hidden}, at::kFloat);
  const at::Tensor from = grad_out.contiguous();
  runtime::parallel_rows(tokens, [&](int64_t range, int64_t begin, int64_t end) {
    float* rows_grad = out(grad) + begin * hidden;
    std::copy_n(data(from) + begin * hidden, (end - begin) * hidden, rows_grad);
    kernel().drop(rows_grad, end - begin, hidden, kept.mask.rows(begin));
    cpu::NormBackwardTask t;
    t.rows = end - begin;
    t.width = hidden;
    t.grad_out = t.grad_sum = rows_grad;
    t.normed = data(kept.normed) + begin * hidden;
    t.scale = data(kept.scales) + begin;
    t.gain = data(w.norm.weight);
    t.grad_gain = out(parts) + range * 3 * hidden;
    t.grad_shift = t.grad_gain + hidden;
    t.grad_bias = t.grad_shift + hidden;
    kernel().norm_backward(t);
  });
  std::vector<at::Tensor> gradients(kEmbeddingInputs);
  const Architecture& a = batch.architecture;
  const int64_t padding = a.trains_padding ? -1 : a.pad_token_id;
  const at::Tensor* tables[] = {&w.words, &w.positions, &w.types};
  const int64_t untrained[] = {padding, a.skips_padding ? padding : -1, -1};
  for (size_t i = 0; i < 3; ++i) {
    if (wanted[i]) gradients[i] = table_gradient(*tables[i], rows.rows[i], untrained[i], grad);
  }
  const at::Tensor sums = sum_of_rows(parts);
  for (size_t i = 3; i < kEmbeddingInputs; ++i) {
    if (wanted[i])
      gradients[i] = sums.narrow(0, static_cast<int64_t>(i - 3) * hidden, hidden).clone();
  }
  return gradients;
}

}  // namespace contrastive::nn
