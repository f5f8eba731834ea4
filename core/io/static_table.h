// The table of a folder of static embeddings: model.safetensors as model2vec writes it
// ("embeddings", and of a quantised vocabulary "mapping" and "weights") or as
// sentence-transformers' StaticEmbedding does ("embedding.weight").
#pragma once

#include <string>

#include "core/base/json.h"
#include "core/base/tensor.h"
#include "core/encoder/architecture.h"
#include "core/io/tensor_reader.h"

namespace contrastive::io {

// From the header of the file alone. kNotFound, kFormat, kMismatch for tensors that do not go
// together; kUnsupported for a type of number; kLimit for a 'mapping' that makes more than 4 GiB of
// few rows.
encoder::Architecture read_static_shape(const std::string& folder);

// One row of float32 for each token: row `mapping[token]` times `weights[token]` where the file has
// these. kNumeric, kCorrupt.
Tensor read_static_table(const std::string& folder, const TensorReadOptions& options);

// Whether config.json is model2vec's. Then a text's unknown tokens are left out, and "max_length"
// says how many tokens of a text count.
bool is_model2vec(const Json& config);
// 0: all of them.
int64_t model2vec_length(const Json& config, const std::string& source);

}  // namespace contrastive::io
