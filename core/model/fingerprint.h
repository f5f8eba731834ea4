// A model's fingerprint: the key of caches of its embeddings.
#pragma once

#include <string>

#include "core/encoder/encoder.h"
#include "core/io/model_folder.h"

namespace contrastive::model {

// SHA-256 in hexadecimal over everything that affects an embedding: shape, weights, precision,
// tokenizer files, poolings, dense modules, normalisation, prompts and the length limit. The device
// and the batch size are not included.
std::string model_fingerprint(const io::ModelFolder& folder, const encoder::Encoder& encoder);

}  // namespace contrastive::model
