// A small encoder with random weights and a packed batch for it, for the tests of this folder.
#pragma once

#include <ATen/TensorOperators.h>

#include <algorithm>
#include <vector>

#include "core/base/rng.h"
#include "core/encoder/float_encoder.h"
#include "core/torch/nn/trainable_encoder.h"

namespace contrastive::nn {

// The tokens of each text of a batch: one text of a single token, texts around the width of a
// vector, and one longer than the attention kernel's block of queries.
inline const std::vector<int64_t> kLengths{1, 17, 2, 33, 16, 5, 64, 3, 121, 15};

struct SampleBatch {
  std::vector<int32_t> ids, type_ids;
  std::vector<int64_t> offsets{0};

  SampleBatch(const std::vector<int64_t>& lengths, const Architecture& options, uint64_t seed = 1) {
    Rng rng(seed, Purpose::kSubset);
    for (const int64_t length : lengths) {
      for (int64_t t = 0; t < length; ++t) {
        ids.push_back(static_cast<int32_t>(rng.below(static_cast<uint64_t>(options.vocab_size))));
        type_ids.push_back(static_cast<int32_t>(t * 2 > length && options.type_vocab_size > 1));
      }
      offsets.push_back(static_cast<int64_t>(ids.size()));
    }
  }
  PackedTokens view() const {
    return {ids.data(), type_ids.data(), offsets.data(), static_cast<int64_t>(offsets.size()) - 1};
  }
};

// The weights are so large that attention is far from uniform and every term of the architecture
// affects the result.
inline Architecture sample_options(const std::string& family = "bert") {
  Architecture o;
  o.family = family;
  o.vocab_size = 97;
  o.hidden_size = 40;
  o.num_hidden_layers = 3;
  o.num_attention_heads = 4;
  o.intermediate_size = 72;
  o.max_position_embeddings = 130;
  o.initializer_range = 0.3;
  if (family == "roberta") {
    o.type_vocab_size = 1;
    o.pad_token_id = 1;
    o.first_position = 2;
    o.skips_padding = true;
  }
  return o;
}

// The CPU's encoder with the same weights.
inline encoder::FloatEncoder on_cpu(const TrainableEncoder& encoder) {
  TensorMap weights;
  for (const auto& [name, parameter] : encoder.named_parameters())
    weights.emplace(name, tensors::from_torch(parameter));
  return encoder::FloatEncoder(encoder.architecture(), weights);
}

// The size of the difference in that of `b`.
inline double relative(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).norm().item<double>() /
         std::max(b.to(at::kDouble).norm().item<double>(), 1e-30);
}

}  // namespace contrastive::nn
