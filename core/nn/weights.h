// The parameters of a BERT or RoBERTa encoder as plain tensors, and the one list of their names and shapes. The names are Hugging Face's without
// prefix, so a checkpoint's tensors are found without a mapping table. Nothing is computed here.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "core/nn/encoder_options.h"

namespace contrastive::nn {

struct Linear {  // y = x W^T + b
  at::Tensor weight;  // [out, in]
  at::Tensor bias;    // [out]
};

struct LayerNorm {
  at::Tensor weight;  // [hidden]
  at::Tensor bias;    // [hidden]
};

struct EmbeddingWeights {
  at::Tensor words;      // [vocab, hidden]
  at::Tensor positions;  // [max positions, hidden]
  at::Tensor types;      // [type vocab, hidden]
  LayerNorm norm;
};

struct LayerWeights {
  Linear query, key, value, attention_output;  // [hidden, hidden]
  LayerNorm attention_norm;
  Linear intermediate;  // [intermediate, hidden]
  Linear output;        // [hidden, intermediate]
  LayerNorm output_norm;
};

struct EncoderWeights {
  EmbeddingWeights embeddings;
  std::vector<LayerWeights> layers;
  Linear pooler;  // undefined where the checkpoint has none
};

// Calls f(name, shape, tensor) for every parameter in Hugging Face's order. `Weights` is EncoderWeights or const EncoderWeights, and must have
// num_hidden_layers layers. The pooler is visited only when `with_pooler`.
template <class Weights, class F>
void visit_weights(const EncoderOptions& o, Weights& w, bool with_pooler, F&& f) {
  using Shape = std::vector<int64_t>;
  const int64_t hidden = o.hidden_size;
  auto linear = [&](const std::string& name, auto& module, int64_t out, int64_t in) {
    f(name + ".weight", Shape{out, in}, module.weight);
    f(name + ".bias", Shape{out}, module.bias);
  };
  auto norm = [&](const std::string& name, auto& module) {
    f(name + ".weight", Shape{hidden}, module.weight);
    f(name + ".bias", Shape{hidden}, module.bias);
  };
  f("embeddings.word_embeddings.weight", Shape{o.vocab_size, hidden}, w.embeddings.words);
  f("embeddings.position_embeddings.weight", Shape{o.max_position_embeddings, hidden}, w.embeddings.positions);
  f("embeddings.token_type_embeddings.weight", Shape{o.type_vocab_size, hidden}, w.embeddings.types);
  norm("embeddings.LayerNorm", w.embeddings.norm);
  for (size_t i = 0; i < w.layers.size(); ++i) {
    const std::string layer = "encoder.layer." + std::to_string(i);
    auto& l = w.layers[i];
    linear(layer + ".attention.self.query", l.query, hidden, hidden);
    linear(layer + ".attention.self.key", l.key, hidden, hidden);
    linear(layer + ".attention.self.value", l.value, hidden, hidden);
    linear(layer + ".attention.output.dense", l.attention_output, hidden, hidden);
    norm(layer + ".attention.output.LayerNorm", l.attention_norm);
    linear(layer + ".intermediate.dense", l.intermediate, o.intermediate_size, hidden);
    linear(layer + ".output.dense", l.output, hidden, o.intermediate_size);
    norm(layer + ".output.LayerNorm", l.output_norm);
  }
  if (with_pooler) linear("pooler.dense", w.pooler, hidden, hidden);
}

}  // namespace contrastive::nn
