// The head of masked language modelling, in BERT's form (cls.predictions) and in RoBERTa's (lm_head): hidden states in, one logit a token of the
// vocabulary out. Its last matrix is the word embeddings (methods.md 6.4).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/nn/weights.h"

namespace contrastive::nn {

class MlmHead {
 public:
  // Takes over `weights` by their names. kNotFound or kMismatch names a tensor that is missing or has another shape.
  MlmHead(const EncoderOptions& options, const std::map<std::string, at::Tensor>& weights);
  // Fresh weights: the matrix from N(0, initializer_range), biases 0, LayerNorm 1 and 0.
  static MlmHead random(const EncoderOptions& options, uint64_t seed);

  // LN(act(W x + b)) words^T + bias; act is the encoder's own in BERT's form, the exact gelu in RoBERTa's.
  // states: [positions, hidden], the selected ones only; words: [vocab, hidden]. Result: [positions, vocab]
  at::Tensor logits(const at::Tensor& states, const at::Tensor& words) const;
  std::vector<std::pair<std::string, at::Tensor>> named_parameters() const;

 private:
  EncoderOptions options_;
  Linear transform_;
  LayerNorm norm_;
  at::Tensor bias_;  // [vocab]
};

}  // namespace contrastive::nn
