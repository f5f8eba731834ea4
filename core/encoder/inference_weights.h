// An encoder's weights for inference on the CPU: pointers to plain floats or narrow matrices that
// other objects own. Does not use LibTorch.
#pragma once

#include <vector>

#include "core/encoder/narrow_matrix.h"
#include "core/encoder/weights.h"

namespace contrastive::encoder {

struct LinearView {                      // y = x W^T + b
  const float* weight = nullptr;         // [out, in], or
  const NarrowMatrix* narrow = nullptr;  // the same in few bits
  const float* bias = nullptr;           // [out], or nullptr for none
};

struct NormView {
  const float* weight = nullptr;  // [hidden]
  const float* bias = nullptr;    // [hidden], or nullptr for none
};

struct EmbeddingView {
  const float* words = nullptr;                // [vocab, hidden], or
  const NarrowMatrix* narrow_words = nullptr;  // the same in few bits
  const float* positions = nullptr;            // [max positions, hidden]
  const float* types = nullptr;                // [type vocab, hidden]
  NormView norm;
};

struct LayerView {
  NormView attention_input_norm;
  LinearView query, key, value, attention_output;
  NormView attention_norm, intermediate_input_norm;
  LinearView gate, intermediate, output;
  NormView output_norm;
};

// Pointers are nullptr for parts that the architecture does not have.
struct InferenceWeights {
  EmbeddingView embeddings;
  const float* relative_bias = nullptr;  // [buckets, heads]
  std::vector<LayerView> layers;         // [weight sets]
  NormView final_norm;
  LinearView pooler;  // always plain floats
};

// How one tensor is stored: as plain floats or narrow, or not at all.
struct Numbers {
  const float* plain = nullptr;
  const NarrowMatrix* narrow = nullptr;
};

// Makes the view of weights that are stored as T. numbers(const T&) returns the location of their
// numbers.
template <class T, class NumbersOf>
InferenceWeights view_of(const EncoderWeightsOf<T>& w, const NumbersOf& numbers) {
  const auto linear = [&](const LinearOf<T>& from) {
    const Numbers weight = numbers(from.weight);
    return LinearView{weight.plain, weight.narrow, numbers(from.bias).plain};
  };
  const auto norm = [&](const NormOf<T>& from) {
    return NormView{numbers(from.weight).plain, numbers(from.bias).plain};
  };
  InferenceWeights view;
  const Numbers words = numbers(w.embeddings.words);
  view.embeddings = {words.plain, words.narrow, numbers(w.embeddings.positions).plain,
                     numbers(w.embeddings.types).plain, norm(w.embeddings.norm)};
  view.relative_bias = numbers(w.relative_bias).plain;
  view.layers.reserve(w.layers.size());
  for (const LayerWeightsOf<T>& l : w.layers) {
    view.layers.push_back({norm(l.attention_input_norm), linear(l.query), linear(l.key),
                           linear(l.value), linear(l.attention_output), norm(l.attention_norm),
                           norm(l.intermediate_input_norm), linear(l.gate), linear(l.intermediate),
                           linear(l.output), norm(l.output_norm)});
  }
  view.final_norm = norm(w.final_norm);
  view.pooler = linear(w.pooler);
  return view;
}

}  // namespace contrastive::encoder
