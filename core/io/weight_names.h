// Which tensor of a checkpoint is which weight of an encoder (core/encoder/weights.h), both ways:
// prefixes, old names, heads to skip, tensors that hold the rows of several weights, and the
// comparison with what the config asks for. Reading allocates nothing here: names and shapes come
// from file headers.
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

// One weight: `rows` rows of a tensor, from `first_row` on, which may be all it has.
struct WeightSource {
  TensorSource tensor;
  int64_t first_row = 0, rows = 0;
};

// A tensor's name as its family has it: "roberta.encoder.layer.0.output.LayerNorm.gamma" ->
// "encoder.layer.0.output.LayerNorm.weight"; names of heads are only freed of prefixes.
std::string family_tensor_name(const std::string& name, const encoder::Architecture& architecture);

// The source of every weight, checked against `architecture`: kMismatch lists missing, unknown and
// misshapen tensors (the first ten), kFormat a tensor that stands twice. A missing pooler is legal.
// `notes` gets one sentence about renamed and one about ignored tensors; those of `head`, which
// somebody else reads, are not ignored.
std::map<std::string, WeightSource> match_weights(
    const std::vector<TensorSource>& tensors, const encoder::Architecture& architecture,
    const std::string& source, std::vector<std::string>& notes,
    const std::map<std::string, TensorSource>& head = {});

// The head of masked language modelling by the names of encoder::mlm_head_shapes; prefixes and old
// names (gamma, beta, decoder.bias) are seen through. Empty where the checkpoint has no head, or
// none that fits, which `notes` then tells.
std::map<std::string, TensorSource> find_mlm_head(const std::vector<TensorSource>& tensors,
                                                  const encoder::Architecture& architecture,
                                                  std::vector<std::string>& notes);

// The head of a reranker by the names of encoder::classification_head_shapes. kMismatch names what
// is missing or has another shape.
std::map<std::string, TensorSource> find_classifier(const std::vector<TensorSource>& tensors,
                                                    const encoder::Architecture& architecture,
                                                    const Classifier& classifier,
                                                    const std::string& source);

// A head of a checkpoint that is written: of masked language modelling, or a reranker's; none where
// both are null.
struct CheckpointHead {
  const TensorMap* mlm = nullptr;
  const Classifier* classifier = nullptr;
};

// The tensors of a checkpoint of the architecture's family. Beside a head the encoder's carry a
// prefix, as transformers writes them: it refuses a file that mixes both forms. Every weight must
// be there and have its shape. `model_type`: which of the family's spellings; "": the first.
TensorMap checkpoint_tensors(const encoder::Architecture& architecture, const TensorMap& weights,
                             const CheckpointHead& head = {}, const std::string& model_type = "");

}  // namespace contrastive::io
