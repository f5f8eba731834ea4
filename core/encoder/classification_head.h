// The head of Hugging Face's ...ForSequenceClassification models, as data: a pooled vector of each
// text, then, if the family has them, a dense layer with an activation and a norm, then a linear
// layer with one row for each label. Families (core/io/families) define their heads;
// core/model/cross_encoder computes them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/encoder/architecture.h"

namespace contrastive::encoder {

struct ClassificationHead {
  std::string pooling = "cls-pooler";  // "cls-pooler", "cls" or "mean": the input of the head
  std::string
      activation;  // after the dense layer: "tanh", "relu" or "gelu"; "" means no dense layer
  bool dense_bias = true;
  bool norm = false;  // after the activation, of kind kLayer
  bool norm_bias = true;
  // The dropout rate before the last linear layer in training; below 0 it is the encoder's
  // hidden_dropout_prob. If `drops_first`, it also applies before the dense layer.
  double dropout = -1;
  bool drops_first = false;
};

// The names and shapes of the head's tensors, in the order of computation:
// classifier.dense.weight [hidden, hidden], classifier.dense.bias
// classifier.LayerNorm.weight [hidden], classifier.LayerNorm.bias
// classifier.out_proj.weight [labels, hidden], classifier.out_proj.bias
std::vector<std::pair<std::string, std::vector<int64_t>>> classification_head_shapes(
    const Architecture& architecture, const ClassificationHead& head, int64_t labels);

}  // namespace contrastive::encoder
