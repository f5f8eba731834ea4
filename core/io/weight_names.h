// Which tensor of a checkpoint is which weight of an encoder: prefixes, old names, heads to skip, and the comparison with what the config asks for.
// Nothing is allocated here: names and shapes come from file headers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/encoder/options.h"
#include "core/io/tensor_reader.h"

namespace contrastive::io {

// The weights of an encoder under their Hugging Face names, without prefix, with their shapes; the pooler's two last.
std::vector<std::pair<std::string, std::vector<int64_t>>> encoder_weight_shapes(const encoder::EncoderOptions& options);

// "roberta.encoder.layer.0.output.LayerNorm.gamma" -> "encoder.layer.0.output.LayerNorm.weight"; names of heads are only freed of prefixes.
std::string canonical_weight_name(const std::string& name);

// The source of every weight, checked against `options`: kMismatch lists missing, unknown and misshapen tensors (the first ten), kFormat a weight
// that stands twice. A missing pooler is legal. `notes` gets one sentence about renamed and one about ignored tensors; those of `head`, which
// somebody else reads, are not ignored.
std::map<std::string, TensorSource> match_weights(const std::vector<TensorSource>& tensors, const encoder::EncoderOptions& options,
                                                  const std::string& source, std::vector<std::string>& notes,
                                                  const std::map<std::string, TensorSource>& head = {});

}  // namespace contrastive::io
