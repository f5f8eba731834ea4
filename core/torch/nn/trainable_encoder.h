// An encoder that trains: its weights as LibTorch tensors and the differentiable forward pass.
// Packed texts in, hidden states or pooled vectors out. It works on ids and knows neither texts nor
// files.
//
// The forward pass has two halves, so that a caller may change the embeddings between them
// (ConSERT's augmentations act there):
//   at::Tensor x = encoder.embed(tokens, dropout);                       // [tokens, hidden] X[0]
//   std::vector<at::Tensor> states = encoder.run_layers(x, tokens, dropout);  // X[0] ... X[L]
//   at::Tensor vectors = encoder.pool(pooling, states, tokens);          // [texts, hidden]
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "core/encoder/packed_tokens.h"
#include "core/torch/tensors/tensors.h"
#include "core/torch/nn/dropout.h"
#include "core/torch/nn/lora.h"
#include "core/torch/nn/torch_pooling.h"
#include "core/torch/nn/torch_weights.h"

namespace contrastive::nn {

class TrainableEncoder {
 public:
  // Takes over `weights` by the names of core/encoder/weights.h, without copying. kNotFound or
  // kMismatch names a tensor that is missing or has another shape. Tensors with other names are
  // ignored. The pooler is optional.
  TrainableEncoder(const Architecture& architecture, const tensors::TorchTensorMap& weights);
  // Has the weights of encoder::random_weights.
  static TrainableEncoder random(const Architecture& architecture, uint64_t seed,
                                 bool with_pooler = false);

  const Architecture& architecture() const { return architecture_; }
  const TorchEncoderWeights& weights() const { return weights_; }
  bool has_pooler() const { return weights_.pooler.weight.defined(); }
  c10::Device device() const { return weights_.embeddings.words.device(); }
  c10::ScalarType precision() const { return weights_.embeddings.words.scalar_type(); }
  std::vector<std::pair<std::string, at::Tensor>> named_parameters()
      const;  // as core/encoder/weights.h names and orders them
  void to(const c10::Device& device, c10::ScalarType precision);
  void set_requires_grad(bool wanted);
  // Gradient checkpointing: only the input of each layer is kept between the forward and the
  // backward pass, and the rest is computed again, on the CPU to the same bits.
  void set_checkpointing(bool wanted) { checkpointing_ = wanted; }
  TrainableEncoder clone() const;  // has its own weights, and no adapters
  // Sets the adapters of each set of layer weights; empty: none.
  void set_adapters(std::vector<LayerAdapters> adapters) { adapters_ = std::move(adapters); }
  bool checkpoints() const { return checkpointing_; }
  const TorchLayerWeights& layer_weights(int64_t layer) const;
  const LayerAdapters& layer_adapters(int64_t layer) const;  // undefined tensors without an adapter

  // Dropout is off by default. Gradients flow to weights that require them. In float32 on the CPU
  // this runs on core/torch/nn/cpu, otherwise (and under autocast) on LibTorch operations.
  at::Tensor embed(const PackedTokens& tokens, const Dropout& dropout = {}) const;
  std::vector<at::Tensor> run_layers(const at::Tensor& embedded, const PackedTokens& tokens,
                                     const Dropout& dropout = {}) const;
  at::Tensor pool(const Pooling& pooling, const std::vector<at::Tensor>& states,
                  const PackedTokens& tokens, const uint8_t* keep = nullptr) const;

 private:
  bool trains_on_cpu_kernels() const;

  Architecture architecture_;
  TorchEncoderWeights weights_;
  std::vector<LayerAdapters> adapters_;  // [weight_set_count()] or none
  bool checkpointing_ = false;
};

}  // namespace contrastive::nn
