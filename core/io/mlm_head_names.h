// Which tensors of a checkpoint are the head of its masked language model. The rest of a head (the decoder's matrix) is the word embeddings again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/encoder/options.h"
#include "core/io/tensor_reader.h"

namespace contrastive::io {

// By the names of encoder::mlm_head_shapes; prefixes and old names (gamma, beta, decoder.bias) are seen through. Empty where the checkpoint has no head,
// or one that is not whole: then a note says what is missing or misshapen.
std::map<std::string, TensorSource> find_mlm_head(const std::vector<TensorSource>& tensors, const encoder::EncoderOptions& options,
                                                  std::vector<std::string>& notes);

}  // namespace contrastive::io
