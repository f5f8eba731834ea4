#include "core/torch/nn/layer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/ones.h>

#include <algorithm>

#include "core/torch/tensors/products.h"
#include "core/torch/tensors/select_rows.h"
#include "core/torch/nn/torch_activation.h"

namespace contrastive::nn {

namespace {

// A copy of the caller's array on the weights' device.
at::Tensor index_tensor(const int32_t* data, int64_t count, const c10::Device& device) {
  const at::Tensor copy = at::empty({count}, at::kInt);
  std::copy(data, data + count, copy.mutable_data_ptr<int32_t>());
  return copy.to(device);
}

}  // namespace

at::Tensor normalize(const Architecture& architecture, const TorchNorm& norm, const at::Tensor& x) {
  const double eps = architecture.layer_norm_eps;
  const auto by_root = [&] {
    const at::Tensor wide = x.to(at::kFloat);
    return wide * (wide.square().mean(-1, true) + eps).rsqrt();
  };
  switch (architecture.norm) {
    case encoder::NormKind::kLayer:
      return at::layer_norm(x, {x.size(-1)}, norm.weight, norm.bias, eps);
    case encoder::NormKind::kRms: return (by_root() * norm.weight).to(x.scalar_type());
    case encoder::NormKind::kRmsPlusOne:
      return (by_root() * (norm.weight.to(at::kFloat) + 1)).to(x.scalar_type());
  }
  TORCH_CHECK(false, "unknown norm");
}

at::Tensor embed_tokens(const Architecture& a, const TorchEmbeddingWeights& weights,
                        const PackedTokens& tokens, const Dropout& dropout) {
  const int64_t count = tokens.tokens();
  const c10::Device device = weights.words.device();
  const int64_t untrained = a.trains_padding ? -1 : a.pad_token_id;
  at::Tensor x = at::embedding(weights.words, index_tensor(tokens.ids, count, device), untrained);
  if (a.embedding_scale != 1) x = x * a.embedding_scale;
  if (a.type_vocab_size > 0) {
    std::vector<int32_t> types(static_cast<size_t>(count));
    if (tokens.type_ids != nullptr) std::copy_n(tokens.type_ids, count, types.begin());
    x = x + at::embedding(weights.types, index_tensor(types.data(), count, device));
  }
  if (a.max_position_embeddings > 0) {
    x = x + at::embedding(weights.positions,
                          index_tensor(encoder::position_rows(a, tokens).data(), count, device),
                          a.skips_padding ? untrained : -1);
  }
  if (a.embedding_norm) x = normalize(a, weights.norm, x);
  x = drop(x, tokens.boundaries(), dropout, a.drop_embeddings, kEmbeddingSite);
  return a.embedding_projection
             ? tensors::linear(x, weights.projection.weight, weights.projection.bias)
             : x;
}

namespace {

// Splits into heads.
at::Tensor normalize_heads(const Architecture& a, const TorchNorm& norm, const at::Tensor& x) {
  return normalize(a, norm, x.view({x.size(0), -1, a.width_of_head()})).flatten(1);
}

// [tokens] the number of the text that each token belongs to.
at::Tensor texts_of_tokens(const std::vector<int64_t>& offsets) {
  const at::Tensor texts = at::empty({offsets.back()}, at::kLong);
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    std::fill(texts.mutable_data_ptr<int64_t>() + offsets[i],
              texts.mutable_data_ptr<int64_t>() + offsets[i + 1], static_cast<int64_t>(i));
  }
  return texts;
}

// Combines a block's result y and the state x before it into the next state.
at::Tensor join(const Architecture& a, const TorchNorm& norm, const at::Tensor& x,
                const at::Tensor& y) {
  switch (a.norm_place) {
    case encoder::NormPlace::kAfter: return normalize(a, norm, y + x);
    case encoder::NormPlace::kBefore: return x + y;
    case encoder::NormPlace::kAround: return x + normalize(a, norm, y);
  }
  TORCH_CHECK(false, "unknown place of norms");
}

at::Tensor project(const TorchLinear& linear, const LinearAdapter& adapter, const at::Tensor& x,
                   const LayerBatch& batch, int64_t layer) {
  return adapted(adapter, tensors::linear(x, linear.weight, linear.bias), x, batch.masks, layer);
}

at::Tensor attention_block(const Architecture& a, const TorchLayerWeights& w,
                           const LayerAdapters& adapters, const at::Tensor& x,
                           const LayerBatch& batch, int64_t layer) {
  at::Tensor q = project(w.query, adapters.query, x, batch, layer);
  at::Tensor k = project(w.key, adapters.key, x, batch, layer);
  const at::Tensor v = project(w.value, adapters.value, x, batch, layer);
  if (a.query_key_norm) {
    q = normalize_heads(a, w.query_norm, q);
    k = normalize_heads(a, w.key_norm, k);
  }
  q = batch.places.rotate(q, layer);
  k = batch.places.rotate(k, layer);
  const at::Tensor attended = attend(a, q, k, v, batch.layout, batch.places.bias(layer),
                                     batch.masks, attention_site(layer));
  return batch.masks.drop(project(w.attention_output, adapters.attention_output, attended, batch,
                                  layer),
                          attention_output_site(layer));
}

at::Tensor feed_forward_block(const Architecture& a, const TorchLayerWeights& w,
                              const LayerAdapters& adapters, const at::Tensor& x,
                              const LayerBatch& batch, int64_t layer) {
  at::Tensor y = project(w.intermediate, adapters.intermediate, x, batch, layer);
  y = a.gated ? activate(a.hidden_act, project(w.gate, adapters.gate, x, batch, layer)) * y
              : activate(a.hidden_act, y);
  y = batch.masks.drop(y, intermediate_site(a.num_hidden_layers, layer));
  return batch.masks.drop(project(w.output, adapters.output, y, batch, layer), output_site(layer));
}

// Dropout of the attention weights, one for each head of a token, and then of the result.
at::Tensor cross_block(const Architecture& a, const CrossBlock& cross, const at::Tensor& x,
                       const LayerBatch& batch, int64_t layer) {
  const auto& [value, output, norm] = *cross.weights;
  at::Tensor seen =
      tensors::linear(cross.vectors, value.weight, value.bias);  // [texts, heads * head width]
  seen = tensors::select_rows(seen, texts_of_tokens(batch.layout.offsets())
                                        .to(seen.device()));  // [tokens, heads * head width]
  if (batch.masks.of_attention() > 0) {
    const at::Tensor ones = at::ones({x.size(0), a.num_attention_heads}, seen.options());
    const at::Tensor weights = batch.masks.drop(ones, encoder::DropRate::kAttention,
                                                cross_attention_site(a.num_hidden_layers, layer));
    seen = (seen.view({x.size(0), a.num_attention_heads, -1}) * weights.unsqueeze(2)).flatten(1);
  }
  const at::Tensor y = tensors::linear(seen, output.weight, output.bias);
  const at::Tensor dropped =
      batch.masks.drop(y, a.drop_attention_output, cross_output_site(a.num_hidden_layers, layer));
  return normalize(a, norm, dropped + x);
}

}  // namespace

at::Tensor run_layer(const Architecture& a, const TorchLayerWeights& w, const at::Tensor& x,
                     const LayerBatch& batch, int64_t layer, const LayerAdapters& adapters,
                     const CrossBlock& cross) {
  const at::Tensor before =
      a.has_norm_before_attention(layer) ? normalize(a, w.attention_input_norm, x) : x;
  at::Tensor x1 =
      join(a, w.attention_norm, x, attention_block(a, w, adapters, before, batch, layer));
  if (cross.weights != nullptr) x1 = cross_block(a, cross, x1, batch, layer);
  const at::Tensor between =
      a.norm_place == encoder::NormPlace::kAfter ? x1 : normalize(a, w.intermediate_input_norm, x1);
  return join(a, w.output_norm, x1, feed_forward_block(a, w, adapters, between, batch, layer));
}

std::vector<at::Tensor> layer_parameters(const Architecture& architecture,
                                         const TorchLayerWeights& weights, bool first) {
  std::vector<at::Tensor> parameters;
  const auto add = [&](const std::string&, const std::vector<int64_t>&,
                       const at::Tensor& parameter) { parameters.push_back(parameter); };
  encoder::WeightVisitor<decltype(add)>(architecture, add).layer("", weights, first);
  return parameters;
}

}  // namespace contrastive::nn
