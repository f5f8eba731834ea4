// An encoder's weights as inference on the CPU reads them: pointers to numbers that others own, as plain floats or in few bits. No LibTorch here.
#pragma once

#include <vector>

#include "core/encoder/narrow_matrix.h"

namespace contrastive::encoder {

struct LinearView {  // y = x W^T + b
  const float* weight = nullptr;         // [out, in], or
  const NarrowMatrix* narrow = nullptr;  // the same in few bits
  const float* bias = nullptr;           // [out], or nullptr for none
};

struct NormView {
  const float* weight = nullptr;  // [hidden]
  const float* bias = nullptr;    // [hidden]
};

struct EmbeddingView {
  const float* words = nullptr;                // [vocab, hidden], or
  const NarrowMatrix* narrow_words = nullptr;  // the same in few bits
  const float* positions = nullptr;            // [max positions, hidden]
  const float* types = nullptr;                // [type vocab, hidden]
  NormView norm;
};

struct LayerView {
  LinearView query, key, value, attention_output;
  NormView attention_norm;
  LinearView intermediate, output;
  NormView output_norm;
};

struct InferenceWeights {
  EmbeddingView embeddings;
  std::vector<LayerView> layers;
  LinearView pooler;  // always plain floats; of nullptr where there is none
};

}  // namespace contrastive::encoder
