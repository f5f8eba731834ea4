#include "core/torch/nn/decoder.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/torch/nn/cpu/nodes.h"

namespace contrastive::nn {
namespace {

constexpr uint64_t kCrossStream =
    32;  // of kInitialise: the encoder, the heads and the adapters draw from others

at::Tensor random_block(int64_t out, int64_t in, double deviation, uint64_t seed, uint64_t number) {
  const at::Tensor matrix = at::empty({out, in}, at::kFloat);
  Rng rng(seed, Purpose::kInitialise, kCrossStream, number);
  float* values = matrix.mutable_data_ptr<float>();
  for (int64_t i = 0; i < matrix.numel(); ++i)
    values[i] = static_cast<float>(deviation * rng.normal());
  return matrix;
}

}  // namespace

std::string no_decoder_because(const Architecture& a) {
  if (a.num_hidden_layers == 0) return "its embeddings are static";
  if (a.causal) return "it is a decoder already";
  if (a.rotary_base > 0) return "it has rotary positions";
  if (a.relative_bias != encoder::RelativeBias::kNone) return "it has relative positions";
  if (a.max_position_embeddings == 0) return "it has no learned positions";
  if (a.norm_place != encoder::NormPlace::kAfter || a.norm != encoder::NormKind::kLayer ||
      !a.norm_bias)
    return "its norms are not BERT's";
  if (a.gated) return "its feed-forward blocks are gated";
  if (a.query_key_norm || a.window > 0 || a.key_value_heads() != a.num_attention_heads)
    return "its attention is not BERT's";
  return "";
}

Decoder::Decoder(const TrainableEncoder& layers, MlmHead head, uint64_t seed)
    : layers_(layers), causal_(layers.architecture()), head_(std::move(head)) {
  const std::string reason = no_decoder_because(causal_);
  TORCH_CHECK(reason.empty(), "no decoder: ", reason);
  causal_.causal = true;
  const double deviation = causal_.initializer_range;
  const int64_t hidden = causal_.hidden_size, inner = causal_.query_width();
  const auto leaf = [&](const at::Tensor& tensor) {
    return tensor.to(layers_.device()).set_requires_grad(true);
  };
  for (int64_t i = 0; i < causal_.num_hidden_layers; ++i) {
    const auto number = static_cast<uint64_t>(2 * i);
    CrossWeights weights;
    weights.value = {leaf(random_block(inner, hidden, deviation, seed, number)),
                     leaf(at::zeros({inner}))};
    weights.output = {leaf(random_block(hidden, inner, deviation, seed, number + 1)),
                      leaf(at::zeros({hidden}))};
    weights.norm = {leaf(at::ones({hidden})), leaf(at::zeros({hidden}))};
    cross_.push_back(std::move(weights));
  }
}

at::Tensor Decoder::logits(const PackedTokens& tokens, const at::Tensor& vectors,
                           const Dropout& dropout) const {
  encoder::check_tokens(causal_, tokens);
  const c10::Device device = layers_.device();
  at::Tensor state = embed_tokens(causal_, layers_.weights().embeddings, tokens, dropout);
  PaddedLayout layout(tokens.boundaries(), device, dropout.attention > 0);
  DropoutMasks masks(causal_, layout.offsets(), dropout, device);
  Places places(causal_, tokens, layout, at::Tensor(), device);
  const auto batch = std::make_shared<const LayerBatch>(
      LayerBatch{std::move(layout), std::move(masks), std::move(places)});
  for (int64_t i = 0; i < causal_.num_hidden_layers; ++i) {
    const TorchLayerWeights& weights = layers_.layer_weights(i);
    const LayerAdapters& adapters = layers_.layer_adapters(i);
    const CrossWeights& cross = cross_[static_cast<size_t>(i)];
    if (!layers_.checkpoints()) {
      state = run_layer(causal_, weights, state, *batch, i, adapters, {&cross, vectors});
      continue;
    }
    // If the vectors are the encoder's, they come from the same weights as the layer. They are an
    // input like the state, so that recomputation ends there. Both are passed as the rows of one
    // tensor.
    std::vector<at::Tensor> parameters =
        layer_parameters(causal_, weights, causal_.weight_set(i) == 0);
    for (const at::Tensor& parameter : adapters.parameters()) parameters.push_back(parameter);
    parameters.insert(parameters.end(), {cross.value.weight, cross.value.bias, cross.output.weight,
                                         cross.output.bias, cross.norm.weight, cross.norm.bias});
    const auto layer = [architecture = causal_, weights, adapters, cross, batch, i,
                        count = state.size(0)](const at::Tensor& rows) {
      return run_layer(architecture, weights, rows.narrow(0, 0, count), *batch, i, adapters,
                       {&cross, rows.narrow(0, count, rows.size(0) - count)});
    };
    state = checkpointed(layer, at::cat({state, vectors}), parameters);
  }
  return head_.logits(state, layers_.weights().embeddings.words);
}

std::vector<std::pair<std::string, at::Tensor>> Decoder::named_parameters() const {
  std::vector<std::pair<std::string, at::Tensor>> named;
  for (size_t i = 0; i < cross_.size(); ++i) {
    const auto& [value, output, norm] = cross_[i];
    const std::string prefix = cat("layer.", i, ".crossattention.");
    named.insert(named.end(), {{prefix + "self.value.weight", value.weight},
                               {prefix + "self.value.bias", value.bias},
                               {prefix + "output.dense.weight", output.weight},
                               {prefix + "output.dense.bias", output.bias},
                               {prefix + "output.LayerNorm.weight", norm.weight},
                               {prefix + "output.LayerNorm.bias", norm.bias}});
  }
  for (auto& entry : head_.named_parameters()) named.push_back(std::move(entry));
  return named;
}

}  // namespace contrastive::nn
