#include "core/torch/nn/trainable_encoder.h"

#include <ATen/TensorOperators.h>
#include <ATen/autocast_mode.h>
#include <ATen/ops/tanh.h>

#include "core/base/error.h"
#include "core/torch/tensors/products.h"
#include "core/torch/nn/layer.h"
#include "core/torch/nn/cpu/layer.h"
#include "core/torch/nn/cpu/nodes.h"

namespace contrastive::nn {

namespace {

TrainingBatchPtr shared_batch(const Architecture& architecture, const PackedTokens& tokens,
                              const Dropout& dropout) {
  return std::make_shared<TrainingBatch>(TrainingBatch{architecture, tokens.boundaries(), dropout});
}

}  // namespace

TrainableEncoder::TrainableEncoder(const Architecture& architecture,
                                   const tensors::TorchTensorMap& weights)
    : architecture_(architecture),
      weights_(encoder::take_weights(architecture, weights, [](const at::Tensor& tensor) {
        return tensor.sizes().vec();
      })) {
  encoder::visit_weights(architecture_, weights_, has_pooler(),
                         [](const std::string&, const std::vector<int64_t>&,
                            at::Tensor& parameter) { parameter = parameter.contiguous(); });
}

TrainableEncoder TrainableEncoder::random(const Architecture& architecture, uint64_t seed,
                                          bool with_pooler) {
  return TrainableEncoder(architecture,
                          tensors::to_torch(
                              encoder::random_weights(architecture, seed, with_pooler)));
}

bool TrainableEncoder::trains_on_cpu_kernels() const {
  return device().is_cpu() && precision() == at::kFloat &&
         !at::autocast::is_autocast_enabled(at::kCPU) && kernels_train(architecture_);
}

const TorchLayerWeights& TrainableEncoder::layer_weights(int64_t layer) const {
  return weights_.layers[static_cast<size_t>(architecture_.weight_set(layer))];
}

const LayerAdapters& TrainableEncoder::layer_adapters(int64_t layer) const {
  static const LayerAdapters kNone;
  return adapters_.empty() ? kNone
                           : adapters_[static_cast<size_t>(architecture_.weight_set(layer))];
}

std::vector<std::pair<std::string, at::Tensor>> TrainableEncoder::named_parameters() const {
  std::vector<std::pair<std::string, at::Tensor>> named;
  encoder::visit_weights(architecture_, weights_, has_pooler(),
                         [&](const std::string& name, const std::vector<int64_t>&,
                             const at::Tensor& parameter) { named.emplace_back(name, parameter); });
  return named;
}

void TrainableEncoder::to(const c10::Device& device, c10::ScalarType precision) {
  encoder::visit_weights(architecture_, weights_, has_pooler(),
                         [&](const std::string&, const std::vector<int64_t>&,
                             at::Tensor& parameter) {
                           parameter = parameter.detach().to(device, precision);
                         });
}

void TrainableEncoder::set_requires_grad(bool wanted) {
  for (auto& [name, parameter] : named_parameters()) parameter.set_requires_grad(wanted);
}

TrainableEncoder TrainableEncoder::clone() const {
  TrainableEncoder copy(*this);
  copy.adapters_.clear();
  encoder::visit_weights(copy.architecture_, copy.weights_, has_pooler(),
                         [](const std::string&, const std::vector<int64_t>&,
                            at::Tensor& parameter) { parameter = parameter.detach().clone(); });
  return copy;
}

at::Tensor TrainableEncoder::embed(const PackedTokens& tokens, const Dropout& dropout) const {
  encoder::check_tokens(architecture_, tokens);
  if (trains_on_cpu_kernels())
    return train_embedding(shared_batch(architecture_, tokens, dropout), weights_.embeddings,
                           tokens);
  return embed_tokens(architecture_, weights_.embeddings, tokens, dropout);
}

std::vector<at::Tensor> TrainableEncoder::run_layers(const at::Tensor& embedded,
                                                     const PackedTokens& tokens,
                                                     const Dropout& dropout) const {
  std::vector<at::Tensor> states{embedded};
  if (trains_on_cpu_kernels() && embedded.scalar_type() == at::kFloat) {
    const TrainingBatchPtr batch = shared_batch(architecture_, tokens, dropout);
    for (int64_t i = 0; i < architecture_.num_hidden_layers; ++i) {
      states.push_back(train_layer(batch, layer_weights(i), layer_adapters(i), i, states.back(),
                                   checkpointing_));
    }
    return states;
  }
  PaddedLayout layout(tokens.boundaries(), embedded.device(), dropout.attention > 0);
  DropoutMasks masks(architecture_, layout.offsets(), dropout, embedded.device());
  // With checkpointing each layer computes its bias from the table again, so that none of it is
  // kept between the passes.
  Places places(architecture_, tokens, layout,
                checkpointing_ ? at::Tensor() : weights_.relative_bias, embedded.device());
  const auto batch = std::make_shared<const LayerBatch>(
      LayerBatch{std::move(layout), std::move(masks), std::move(places)});
  for (int64_t i = 0; i < architecture_.num_hidden_layers; ++i) {
    const TorchLayerWeights& weights = layer_weights(i);
    const LayerAdapters& adapters = layer_adapters(i);
    if (!checkpointing_) {
      states.push_back(run_layer(architecture_, weights, states.back(), *batch, i, adapters));
      continue;
    }
    // Only the layer's input is kept between the passes. A table that all layers share is one of
    // its parameters.
    std::vector<at::Tensor> parameters =
        layer_parameters(architecture_, weights, architecture_.weight_set(i) == 0);
    if (weights_.relative_bias.defined()) parameters.push_back(weights_.relative_bias);
    for (const at::Tensor& parameter : adapters.parameters()) parameters.push_back(parameter);
    const auto layer = [architecture = architecture_, weights, adapters,
                        table = weights_.relative_bias, batch, i](const at::Tensor& x) {
      if (!table.defined()) return run_layer(architecture, weights, x, *batch, i, adapters);
      const LayerBatch own{batch->layout, batch->masks, batch->places.with(table)};
      return run_layer(architecture, weights, x, own, i, adapters);
    };
    states.push_back(checkpointed(layer, states.back(), parameters));
  }
  if (architecture_.final_norm)
    states.back() = normalize(architecture_, weights_.final_norm, states.back());
  if (architecture_.drop_last)
    states.back() = batch->masks.drop(states.back(), last_site(architecture_.num_hidden_layers));
  return states;
}

at::Tensor TrainableEncoder::pool(const Pooling& pooling, const std::vector<at::Tensor>& states,
                                  const PackedTokens& tokens, const uint8_t* keep) const {
  const bool pooler = pooling.reduce == Reduce::kClsPooler;  // it takes the first token
  const Reduce reduce = pooler ? Reduce::kCls : pooling.reduce;
  at::Tensor sum;
  for (const int64_t layer : pooling.layers) {
    const at::Tensor reduced = reduce_tokens(reduce, states.at(static_cast<size_t>(layer)),
                                             tokens.boundaries(), pooler ? nullptr : keep);
    sum = sum.defined() ? sum + reduced : reduced;
  }
  if (pooling.layers.size() > 1) sum = sum / static_cast<double>(pooling.layers.size());
  if (pooling.reduce != Reduce::kClsPooler) return sum;
  check(has_pooler(), Status::kArgument,
        "pooling cls-pooler: the checkpoint has no pooler.dense; use cls or mean");
  return at::tanh(
             tensors::linear(sum.to(precision()), weights_.pooler.weight, weights_.pooler.bias))
      .to(at::kFloat);
}

}  // namespace contrastive::nn
