// The head that Hugging Face's ...ForSequenceClassification puts on an encoder, as data: one vector
// of a text's states, a dense layer with an activation and a norm where the family has them, and a
// linear layer with a row for each label. Families (core/io/families) say which they have;
// core/model/cross_encoder computes it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/encoder/architecture.h"

namespace contrastive::encoder {

struct ClassificationHead {
  std::string pooling =
      "cls-pooler";  // "cls-pooler", "cls" or "mean": what the head reads of a text
  std::string
      activation;  // behind the dense layer: "tanh", "relu" or "gelu"; "": there is no dense layer
  bool dense_bias = true;
  bool norm = false;  // behind the activation, of kind kLayer
  bool norm_bias = true;
  // While it trains: what the last linear layer sees is dropped at this rate (below 0: at the
  // encoder's hidden_dropout_prob), and so is what the dense layer sees where `drops_first`.
  double dropout = -1;
  bool drops_first = false;
};

// Names of the head's tensors, and their shapes, in the order in which they compute:
// classifier.dense.weight [hidden, hidden], classifier.dense.bias, classifier.LayerNorm.weight
// [hidden], classifier.LayerNorm.bias, classifier.out_proj.weight [labels, hidden],
// classifier.out_proj.bias.
std::vector<std::pair<std::string, std::vector<int64_t>>> classification_head_shapes(
    const Architecture& architecture, const ClassificationHead& head, int64_t labels);

}  // namespace contrastive::encoder
