#include "core/nn/layer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "core/libtorch/products.h"
#include "core/nn/activation.h"

namespace contrastive::nn {

namespace {

at::Tensor normalize(const EncoderOptions& options, const LayerNorm& norm, const at::Tensor& x) {
  return at::layer_norm(x, {options.hidden_size}, norm.weight, norm.bias, options.layer_norm_eps);
}

// A copy of the caller's array on the weights' device.
at::Tensor index_tensor(const int32_t* data, int64_t count, const c10::Device& device) {
  const at::Tensor copy = at::empty({count}, at::kInt);
  std::copy(data, data + count, copy.mutable_data_ptr<int32_t>());
  return copy.to(device);
}

}  // namespace

at::Tensor embed_tokens(const EncoderOptions& options, const EmbeddingWeights& weights, const PackedTokens& tokens, const Dropout& dropout) {
  const int64_t count = tokens.tokens();
  const c10::Device device = weights.words.device();
  const std::vector<int32_t> positions = encoder::position_rows(options, tokens);
  std::vector<int32_t> types(static_cast<size_t>(count));
  if (tokens.type_ids != nullptr) std::copy_n(tokens.type_ids, count, types.begin());
  at::Tensor x = at::embedding(weights.words, index_tensor(tokens.ids, count, device));
  x = x + at::embedding(weights.types, index_tensor(types.data(), count, device));
  x = x + at::embedding(weights.positions, index_tensor(positions.data(), count, device));
  return drop_hidden(normalize(options, weights.norm, x), tokens.boundaries(), dropout, kEmbeddingSite);
}

at::Tensor run_layer(const EncoderOptions& options, const LayerWeights& weights, const at::Tensor& x, const PaddedLayout& layout,
                     const DropoutMasks& masks, int64_t layer) {
  const at::Tensor q = libtorch::linear(x, weights.query.weight, weights.query.bias);
  const at::Tensor k = libtorch::linear(x, weights.key.weight, weights.key.bias);
  const at::Tensor v = libtorch::linear(x, weights.value.weight, weights.value.bias);
  at::Tensor a = attend(q, k, v, options.num_attention_heads, layout, masks, attention_site(layer));
  a = libtorch::linear(a, weights.attention_output.weight, weights.attention_output.bias);
  a = masks.drop(a, attention_output_site(layer));
  const at::Tensor x1 = normalize(options, weights.attention_norm, a + x);
  at::Tensor y = activate(options.hidden_act, libtorch::linear(x1, weights.intermediate.weight, weights.intermediate.bias));
  y = masks.drop(libtorch::linear(y, weights.output.weight, weights.output.bias), output_site(layer));
  return normalize(options, weights.output_norm, y + x1);
}

}  // namespace contrastive::nn
