// The head of a reranker's folder: what config.json says of it. Its tensors are found and named by
// weight_names.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/tensor.h"
#include "core/encoder/architecture.h"
#include "core/encoder/classification_head.h"

namespace contrastive::io {

struct Classifier {
  encoder::ClassificationHead head;
  TensorMap weights;                // by encoder::classification_head_shapes
  std::vector<std::string> labels;  // id2label, in order: at least one
  std::string activation =
      "sigmoid";  // of the scores: "identity", "sigmoid", "tanh", "relu", "gelu"

  int64_t label_count() const { return static_cast<int64_t>(labels.size()); }
};

// The head of a family, with the labels and the activation that config.json states: id2label, else
// num_labels, else two labels as transformers has it; sentence_transformers.activation_fn, else
// sbert_ce_default_activation_function, else sigmoid for one label and none for several.
// kUnsupported for a family without such a head and for an unknown activation, kFormat, kLimit.
Classifier read_classifier(const Json& config, const std::string& source,
                           const encoder::Architecture& architecture);

// The head of a model that has none yet, as the family has it and `config` varies it: labels
// LABEL_0, LABEL_1, ..., and no weights. kUnsupported for a family without such a head.
Classifier plan_classifier(const Json& config, const std::string& source,
                           const encoder::Architecture& architecture, int64_t labels);

// Whether the folder at `path` says of itself that it is a reranker: as sentence-transformers'
// CrossEncoder writes it, or by a config.json whose architecture ends in ForSequenceClassification
// without modules.json beside it. False for a folder that is not there or cannot be read.
bool is_reranker_folder(const std::string& path);

// Sets the keys that read_classifier reads, of sentence-transformers from 4.0 on and before.
void write_classifier(const Classifier& classifier, Json& config);

}  // namespace contrastive::io
