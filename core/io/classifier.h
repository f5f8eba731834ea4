// The classification head of a reranker's folder, as config.json describes it. weight_names.h finds
// and names its tensors.
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
  TensorMap weights;                // named by encoder::classification_head_shapes
  std::vector<std::string> labels;  // id2label, in order: at least one
  std::string activation =
      "sigmoid";  // applied to the scores: "identity", "sigmoid", "tanh", "relu", "gelu"

  int64_t label_count() const { return static_cast<int64_t>(labels.size()); }
};

// The head of a family, with the labels and the activation from config.json. Labels: id2label,
// otherwise num_labels, otherwise two labels as in transformers. Activation:
// sentence_transformers.activation_fn, otherwise sbert_ce_default_activation_function, otherwise
// sigmoid for one label and none for several. Throws kUnsupported for a family without such a head
// and for an unknown activation; kFormat; kLimit.
Classifier read_classifier(const Json& config, const std::string& source,
                           const encoder::Architecture& architecture);

// The head for a model that has none yet, in the form of its family and with the settings of
// `config`: labels LABEL_0, LABEL_1, ..., and no weights. Throws kUnsupported for a family without
// such a head.
Classifier plan_classifier(const Json& config, const std::string& source,
                           const encoder::Architecture& architecture, int64_t labels);

// Whether the folder at `path` is a reranker: as sentence-transformers' CrossEncoder writes it, or
// with a config.json whose architecture ends in ForSequenceClassification and no modules.json.
// False if the folder does not exist or cannot be read. std::bad_alloc without memory.
bool is_reranker_folder(const std::string& path);

// Sets the keys that read_classifier reads, in the form of sentence-transformers before 4.0 and
// since.
void write_classifier(const Classifier& classifier, Json& config);

}  // namespace contrastive::io
