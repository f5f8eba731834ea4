// The parameters of a BERT or RoBERTa encoder, and the one list of their names and shapes. The names are Hugging Face's without prefix, so a
// checkpoint's tensors are found without a mapping table. Nothing is computed here. T is Tensor where the CPU's kernels read, at::Tensor where
// LibTorch does (core/nn/weights.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/tensor.h"
#include "core/encoder/options.h"

namespace contrastive::encoder {

template <class T>
struct LinearOf {  // y = x W^T + b
  T weight;  // [out, in]
  T bias;    // [out]
};

template <class T>
struct LayerNormOf {
  T weight;  // [hidden]
  T bias;    // [hidden]
};

template <class T>
struct EmbeddingWeightsOf {
  T words;      // [vocab, hidden]
  T positions;  // [max positions, hidden]
  T types;      // [type vocab, hidden]
  LayerNormOf<T> norm;
};

template <class T>
struct LayerWeightsOf {
  LinearOf<T> query, key, value, attention_output;  // [hidden, hidden]
  LayerNormOf<T> attention_norm;
  LinearOf<T> intermediate;  // [intermediate, hidden]
  LinearOf<T> output;        // [hidden, intermediate]
  LayerNormOf<T> output_norm;
};

template <class T>
struct EncoderWeightsOf {
  EmbeddingWeightsOf<T> embeddings;
  std::vector<LayerWeightsOf<T>> layers;
  LinearOf<T> pooler;  // undefined where the checkpoint has none
};

using Linear = LinearOf<Tensor>;
using LayerNorm = LayerNormOf<Tensor>;
using EmbeddingWeights = EmbeddingWeightsOf<Tensor>;
using LayerWeights = LayerWeightsOf<Tensor>;
using EncoderWeights = EncoderWeightsOf<Tensor>;

// Calls f(name, shape, tensor) for every parameter in Hugging Face's order. `Weights` is an EncoderWeightsOf or a const one, and must have
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

// kMismatch for a shape that no encoder has.
void check_options(const EncoderOptions& options);

// Takes the encoder's tensors out of `weights` by their names, sharing their numbers. kNotFound or kMismatch names one that is missing or has another
// shape; names that are no part of the encoder are left alone. The pooler is optional. shape_of(tensor) gives a std::vector<int64_t>.
template <class T, class ShapeOf>
EncoderWeightsOf<T> take_weights(const EncoderOptions& options, const std::map<std::string, T>& weights, ShapeOf&& shape_of) {
  check_options(options);
  EncoderWeightsOf<T> taken;
  taken.layers.resize(static_cast<size_t>(options.num_hidden_layers));
  visit_weights(options, taken, weights.count("pooler.dense.weight") != 0,
                [&](const std::string& name, const std::vector<int64_t>& shape, T& parameter) {
                  const auto found = weights.find(name);
                  check(found != weights.end(), Status::kNotFound, "the encoder's tensor ", name, " is missing");
                  const std::vector<int64_t> there = shape_of(found->second);
                  check(there == shape, Status::kMismatch, "tensor ", name, " has the shape ", shape_text(there), "; the configuration asks for ",
                        shape_text(shape));
                  parameter = found->second;
                });
  return taken;
}

// Hugging Face's names and order.
std::vector<std::pair<std::string, Tensor>> named_parameters(const EncoderOptions& options, const EncoderWeights& weights);
// Of the encoder alone.
int64_t parameter_count(const EncoderOptions& options, bool with_pooler);

// The same for the CPU's encoders, which read float32: kMismatch for a tensor of another type, too.
EncoderWeights take_floats(const EncoderOptions& options, const TensorMap& weights);

// Fresh weights: matrices from N(0, initializer_range), biases 0, LayerNorm 1 and 0. A function of (options, seed) only.
TensorMap random_weights(const EncoderOptions& options, uint64_t seed, bool with_pooler = false);

// Hugging Face's names of the tensors of the masked language model's head, and their shapes: cls.predictions.transform.dense.weight, ... or
// lm_head.dense.weight, ...
std::vector<std::pair<std::string, std::vector<int64_t>>> mlm_head_shapes(const EncoderOptions& options);

}  // namespace contrastive::encoder
