// The table of static embeddings: model.safetensors as model2vec writes it ("embeddings", and for a
// quantised vocabulary "mapping" and "weights") or as sentence-transformers' StaticEmbedding does
// ("embedding.weight").
#pragma once

#include <string>

#include "core/base/json.h"
#include "core/base/tensor.h"
#include "core/encoder/architecture.h"
#include "core/io/tensor_reader.h"

namespace contrastive::io {

// Reads only the header of the file. Throws kNotFound, kFormat, kMismatch for tensors that do not
// fit together; kUnsupported for an unknown number type; kLimit for a 'mapping' that expands few
// rows to more than 4 GiB.
encoder::Architecture read_static_shape(const std::string& folder);

// One row of float32 for each token: row `mapping[token]` times `weights[token]` if the file has
// these. Throws kNumeric and kCorrupt.
Tensor read_static_table(const std::string& folder, const TensorReadOptions& options);

// Whether config.json is model2vec's. Then a text's unknown tokens are omitted, and "max_length"
// limits the tokens of a text.
bool is_model2vec(const Json& config);
// 0: no limit.
int64_t model2vec_length(const Json& config, const std::string& source);

}  // namespace contrastive::io
