// Maps the tensors of a checkpoint to the weights of an encoder (core/encoder/weights.h) and back:
// prefixes, old names, heads to skip, tensors that contain the rows of several weights, and the
// comparison with the config. Reading allocates no tensors here: names and shapes come from file
// headers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/encoder/architecture.h"
#include "core/io/classifier.h"
#include "core/io/tensor_reader.h"

namespace contrastive::io {

// One weight: `rows` rows of a tensor, from `first_row` on, possibly all of them.
struct WeightSource {
  TensorSource tensor;
  int64_t first_row = 0, rows = 0;
};

// A tensor's name in its family's form: "roberta.encoder.layer.0.output.LayerNorm.gamma" ->
// "encoder.layer.0.output.LayerNorm.weight". For tensors of heads only the prefix is removed.
std::string family_tensor_name(const std::string& name, const encoder::Architecture& architecture);

// The source of every weight, checked against `architecture`. kMismatch lists missing, unknown and
// misshapen tensors (the first ten); kFormat names a tensor that occurs twice. The pooler may be
// missing. `notes` gets one sentence about renamed and one about ignored tensors. The tensors of
// `head` are not reported as ignored, because another reader reads them.
std::map<std::string, WeightSource> match_weights(
    const std::vector<TensorSource>& tensors, const encoder::Architecture& architecture,
    const std::string& source, std::vector<std::string>& notes,
    const std::map<std::string, TensorSource>& head = {});

// The head for masked language modelling by the names of encoder::mlm_head_shapes. Accepts prefixes
// and old names (gamma, beta, decoder.bias). Empty if the checkpoint has no head, or none that
// fits, which `notes` then reports.
std::map<std::string, TensorSource> find_mlm_head(const std::vector<TensorSource>& tensors,
                                                  const encoder::Architecture& architecture,
                                                  std::vector<std::string>& notes);

// The head of a reranker by the names of encoder::classification_head_shapes. kMismatch names a
// tensor that is missing or has another shape.
std::map<std::string, TensorSource> find_classifier(const std::vector<TensorSource>& tensors,
                                                    const encoder::Architecture& architecture,
                                                    const Classifier& classifier,
                                                    const std::string& source);

// The head to write into a checkpoint: for masked language modelling, or a reranker's. No head if
// both are null.
struct CheckpointHead {
  const TensorMap* mlm = nullptr;
  const Classifier* classifier = nullptr;
};

// The tensors of a checkpoint of the architecture's family. With a head, the encoder's tensors have
// a prefix, as in transformers, which refuses a file that mixes both forms. Every weight must be
// present with its shape. `model_type`: which of the family's spellings; "" for the first.
TensorMap checkpoint_tensors(const encoder::Architecture& architecture, const TensorMap& weights,
                             const CheckpointHead& head = {}, const std::string& model_type = "");

}  // namespace contrastive::io
