#include "core/nn/encoder.h"

#include <ATen/TensorOperators.h>
#include <ATen/autocast_mode.h>
#include <ATen/ops/tanh.h>

#include "core/base/error.h"
#include "core/libtorch/products.h"
#include "core/nn/layer.h"
#include "core/nn/training/layer.h"
#include "core/nn/training/nodes.h"

namespace contrastive::nn {

namespace {

TrainingBatchPtr shared_batch(const EncoderOptions& options, const PackedTokens& tokens, const Dropout& dropout) {
  return std::make_shared<TrainingBatch>(TrainingBatch{options, tokens.boundaries(), dropout});
}

}  // namespace

Encoder::Encoder(const EncoderOptions& options, const libtorch::TensorMap& weights)
    : options_(options), weights_(encoder::take_weights(options, weights, [](const at::Tensor& tensor) { return tensor.sizes().vec(); })) {
  encoder::visit_weights(options_, weights_, has_pooler(),
                         [](const std::string&, const std::vector<int64_t>&, at::Tensor& parameter) { parameter = parameter.contiguous(); });
}

Encoder Encoder::random(const EncoderOptions& options, uint64_t seed, bool with_pooler) {
  return Encoder(options, libtorch::to_torch(encoder::random_weights(options, seed, with_pooler)));
}

bool Encoder::trains_on_cpu_kernels() const { return device().is_cpu() && precision() == at::kFloat && !at::autocast::is_autocast_enabled(at::kCPU); }

std::vector<std::pair<std::string, at::Tensor>> Encoder::named_parameters() const {
  std::vector<std::pair<std::string, at::Tensor>> named;
  encoder::visit_weights(options_, weights_, has_pooler(),
                [&](const std::string& name, const std::vector<int64_t>&, const at::Tensor& parameter) { named.emplace_back(name, parameter); });
  return named;
}

void Encoder::to(const c10::Device& device, c10::ScalarType precision) {
  encoder::visit_weights(options_, weights_, has_pooler(),
                [&](const std::string&, const std::vector<int64_t>&, at::Tensor& parameter) {
                  parameter = parameter.detach().to(device, precision);
                });
}

void Encoder::set_requires_grad(bool wanted) {
  for (auto& [name, parameter] : named_parameters()) parameter.set_requires_grad(wanted);
}

Encoder Encoder::clone() const {
  Encoder copy(*this);
  encoder::visit_weights(copy.options_, copy.weights_, has_pooler(),
                [](const std::string&, const std::vector<int64_t>&, at::Tensor& parameter) { parameter = parameter.detach().clone(); });
  return copy;
}

at::Tensor Encoder::embed(const PackedTokens& tokens, const Dropout& dropout) const {
  encoder::check_tokens(options_, tokens);
  if (trains_on_cpu_kernels()) return train_embedding(shared_batch(options_, tokens, dropout), weights_.embeddings, tokens);
  return embed_tokens(options_, weights_.embeddings, tokens, dropout);
}

std::vector<at::Tensor> Encoder::run_layers(const at::Tensor& embedded, const PackedTokens& tokens, const Dropout& dropout) const {
  std::vector<at::Tensor> states{embedded};
  if (trains_on_cpu_kernels() && embedded.scalar_type() == at::kFloat) {
    const TrainingBatchPtr batch = shared_batch(options_, tokens, dropout);
    for (size_t i = 0; i < weights_.layers.size(); ++i) {
      states.push_back(train_layer(batch, weights_.layers[i], static_cast<int64_t>(i), states.back(), checkpointing_));
    }
    return states;
  }
  const auto layout = std::make_shared<const PaddedLayout>(tokens.boundaries(), embedded.device());
  const auto masks = std::make_shared<const DropoutMasks>(layout->offsets(), dropout, options_.num_hidden_layers, options_.num_attention_heads,
                                                          options_.hidden_size, embedded.device());
  for (size_t i = 0; i < weights_.layers.size(); ++i) {
    const auto layer = [options = options_, weights = weights_.layers[i], layout, masks, i](const at::Tensor& x) {
      return run_layer(options, weights, x, *layout, *masks, static_cast<int64_t>(i));
    };
    const std::vector<at::Tensor> inputs = layer_inputs(states.back(), weights_.layers[i]);
    states.push_back(checkpointing_ ? checkpointed(layer, inputs[0], {inputs.begin() + 1, inputs.end()}) : layer(states.back()));
  }
  return states;
}

at::Tensor Encoder::pool(const Pooling& pooling, const std::vector<at::Tensor>& states, const PackedTokens& tokens, const uint8_t* keep) const {
  const Reduce reduce = pooling.reduce == Reduce::kClsPooler ? Reduce::kCls : pooling.reduce;
  at::Tensor sum;
  for (const int64_t layer : pooling.layers) {
    const at::Tensor reduced = reduce_tokens(reduce, states.at(static_cast<size_t>(layer)), tokens.boundaries(), keep);
    sum = sum.defined() ? sum + reduced : reduced;
  }
  if (pooling.layers.size() > 1) sum = sum / static_cast<double>(pooling.layers.size());
  if (pooling.reduce != Reduce::kClsPooler) return sum;
  check(has_pooler(), Status::kArgument, "pooling cls-pooler: the checkpoint has no pooler.dense; use cls or mean");
  return at::tanh(libtorch::linear(sum.to(precision()), weights_.pooler.weight, weights_.pooler.bias)).to(at::kFloat);
}

}  // namespace contrastive::nn
