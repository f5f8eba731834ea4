// The parameters of an encoder, and the one list of their names and shapes. The names are BERT's in
// Hugging Face, or follow the same style if BERT has no such tensor. core/io/families translates
// the names of other families. Nothing is computed here. T is Tensor for the CPU's kernels and
// at::Tensor for LibTorch (core/torch/nn/torch_weights.h).
#pragma once

#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/error.h"
#include "core/base/tensor.h"
#include "core/encoder/architecture.h"

namespace contrastive::encoder {

// Tensors that an architecture does not have are undefined.

template <class T>
struct LinearOf {  // y = x W^T + b
  T weight{};      // [out, in]
  T bias{};        // [out]
};

template <class T>
struct NormOf {
  T weight{};  // [width]
  T bias{};    // [width]
};

template <class T>
struct EmbeddingWeightsOf {
  T words{};      // [vocab, table width]
  T positions{};  // [max positions, table width]
  T types{};      // [type vocab, table width]
  NormOf<T> norm;
  LinearOf<T> projection;  // [hidden, table width]
};

template <class T>
struct LayerWeightsOf {
  NormOf<T> attention_input_norm;     // of NormPlace::kBefore and kAround
  LinearOf<T> query, key, value;      // [heads or key and value heads * head width, hidden]
  NormOf<T> query_norm, key_norm;     // [head width]
  LinearOf<T> attention_output;       // [hidden, heads * head width]
  NormOf<T> attention_norm;           // of NormPlace::kAfter and kAround
  NormOf<T> intermediate_input_norm;  // of NormPlace::kBefore and kAround
  LinearOf<T> gate, intermediate;     // [intermediate, hidden]
  LinearOf<T> output;                 // [hidden, intermediate]
  NormOf<T> output_norm;              // of NormPlace::kAfter and kAround
};

template <class T>
struct EncoderWeightsOf {
  EmbeddingWeightsOf<T> embeddings;
  T relative_bias{};                      // [buckets, heads]
  std::vector<LayerWeightsOf<T>> layers;  // [weight_set_count()]
  NormOf<T> final_norm;
  LinearOf<T> pooler;  // [hidden, hidden]; undefined if the checkpoint has none
};

using Linear = LinearOf<Tensor>;
using Norm = NormOf<Tensor>;
using EmbeddingWeights = EmbeddingWeightsOf<Tensor>;
using LayerWeights = LayerWeightsOf<Tensor>;
using EncoderWeights = EncoderWeightsOf<Tensor>;

// Calls f(name, shape, tensor) for every parameter of the architecture, in Hugging Face's order.
// Used by visit_weights() below, or for a single layer.
template <class F>
class WeightVisitor {
 public:
  WeightVisitor(const Architecture& architecture, F& f) : a_(architecture), f_(f) {}

  template <class T>
  void linear(const std::string& name, T& module, int64_t out, int64_t in, bool bias) {
    f_(name + ".weight", Shape{out, in}, module.weight);
    if (bias) f_(name + ".bias", Shape{out}, module.bias);
  }
  template <class T>
  void norm(const std::string& name, T& module, int64_t width) {
    f_(name + ".weight", Shape{width}, module.weight);
    if (a_.norm == NormKind::kLayer && a_.norm_bias) f_(name + ".bias", Shape{width}, module.bias);
  }

  template <class T>
  void embeddings(T& w) {
    const int64_t width = a_.table_width();
    f_("embeddings.word_embeddings.weight", Shape{a_.vocab_size, width}, w.words);
    if (a_.max_position_embeddings > 0)
      f_("embeddings.position_embeddings.weight", Shape{a_.max_position_embeddings, width},
         w.positions);
    if (a_.type_vocab_size > 0)
      f_("embeddings.token_type_embeddings.weight", Shape{a_.type_vocab_size, width}, w.types);
    if (a_.embedding_norm) norm("embeddings.LayerNorm", w.norm, width);
    if (a_.embedding_projection)
      linear("embeddings.projection", w.projection, a_.hidden_size, width, true);
  }

  // `prefix` ends with a dot: "encoder.layer.0.". `first`: whether this is layer 0 of the
  // architecture.
  template <class T>
  void layer(const std::string& prefix, T& w, bool first) {
    const int64_t hidden = a_.hidden_size, inner = a_.intermediate_size;
    const bool before = a_.norm_place != NormPlace::kAfter,
               after = a_.norm_place != NormPlace::kBefore;
    if (before && (!first || a_.first_attention_norm))
      norm(prefix + "attention.LayerNorm", w.attention_input_norm, hidden);
    linear(prefix + "attention.self.query", w.query, a_.query_width(), hidden, a_.attention_bias);
    linear(prefix + "attention.self.key", w.key, a_.key_width(), hidden, a_.attention_bias);
    linear(prefix + "attention.self.value", w.value, a_.key_width(), hidden, a_.attention_bias);
    if (a_.query_key_norm) {
      norm(prefix + "attention.self.query_LayerNorm", w.query_norm, a_.width_of_head());
      norm(prefix + "attention.self.key_LayerNorm", w.key_norm, a_.width_of_head());
    }
    linear(prefix + "attention.output.dense", w.attention_output, hidden, a_.query_width(),
           a_.attention_output_bias);
    if (after) norm(prefix + "attention.output.LayerNorm", w.attention_norm, hidden);
    if (before) norm(prefix + "intermediate.LayerNorm", w.intermediate_input_norm, hidden);
    if (a_.gated) linear(prefix + "intermediate.gate", w.gate, inner, hidden, a_.intermediate_bias);
    linear(prefix + "intermediate.dense", w.intermediate, inner, hidden, a_.intermediate_bias);
    linear(prefix + "output.dense", w.output, hidden, inner, a_.output_bias);
    if (after) norm(prefix + "output.LayerNorm", w.output_norm, hidden);
  }

  template <class T>
  void encoder(T& w, bool with_pooler) {
    embeddings(w.embeddings);
    if (a_.relative_bias == RelativeBias::kBuckets) {
      f_("encoder.relative_attention_bias.weight",
         Shape{a_.relative_buckets, a_.num_attention_heads}, w.relative_bias);
    }
    for (size_t i = 0; i < w.layers.size(); ++i)
      layer("encoder.layer." + std::to_string(i) + ".", w.layers[i], i == 0);
    if (a_.final_norm) norm("encoder.LayerNorm", w.final_norm, a_.hidden_size);
    if (with_pooler) linear("pooler.dense", w.pooler, a_.hidden_size, a_.hidden_size, true);
  }

 private:
  using Shape = std::vector<int64_t>;
  const Architecture& a_;
  F& f_;
};

// `Weights` is an EncoderWeightsOf, possibly const, and must have weight_set_count() layers. The
// pooler is visited only if `with_pooler`.
template <class Weights, class F>
void visit_weights(const Architecture& architecture, Weights& w, bool with_pooler, F&& f) {
  WeightVisitor<std::remove_reference_t<F>>(architecture, f).encoder(w, with_pooler);
}

// Takes the encoder's tensors out of `weights` by their names and shares their numbers. Throws
// kNotFound or kMismatch, which name a tensor that is missing or has another shape. Ignores names
// that are not part of the encoder. The pooler is optional. shape_of(tensor) returns a
// std::vector<int64_t>.
template <class T, class ShapeOf>
EncoderWeightsOf<T> take_weights(const Architecture& architecture,
                                 const std::map<std::string, T>& weights, ShapeOf&& shape_of) {
  check_architecture(architecture);
  EncoderWeightsOf<T> taken;
  taken.layers.resize(static_cast<size_t>(architecture.weight_set_count()));
  visit_weights(architecture, taken, weights.count("pooler.dense.weight") != 0,
                [&](const std::string& name, const std::vector<int64_t>& shape, T& parameter) {
                  const auto found = weights.find(name);
                  check(found != weights.end(), Status::kNotFound, "the encoder's tensor ", name,
                        " is missing");
                  const std::vector<int64_t> there = shape_of(found->second);
                  check(there == shape, Status::kMismatch, "tensor ", name, " has the shape ",
                        shape_text(there), "; the configuration requires ", shape_text(shape));
                  parameter = found->second;
                });
  return taken;
}

// Names and shapes, in order. If the architecture has a pooler, its two tensors are last.
std::vector<std::pair<std::string, std::vector<int64_t>>> weight_shapes(
    const Architecture& architecture);
// Names as above, in order.
std::vector<std::pair<std::string, Tensor>> named_parameters(const Architecture& architecture,
                                                             const EncoderWeights& weights);
// The parameters of the encoder without any head.
int64_t parameter_count(const Architecture& architecture, bool with_pooler);

// The same for the CPU's encoders, which need float32: also throws kMismatch for a tensor of
// another type.
EncoderWeights take_floats(const Architecture& architecture, const TensorMap& weights);

// Fresh weights: matrices from N(0, initializer_range), biases 0, and norms that do not scale. They
// depend only on (architecture, seed).
TensorMap random_weights(const Architecture& architecture, uint64_t seed, bool with_pooler = false);

// The names and shapes of the tensors of the masked language modelling head, in this order: weight
// and bias (if any) of the dense layer, cls.predictions.transform.dense.weight, ...; weight and
// bias of the norm; one number for each word.
std::vector<std::pair<std::string, std::vector<int64_t>>> mlm_head_shapes(
    const Architecture& architecture);

}  // namespace contrastive::encoder
