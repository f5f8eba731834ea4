// Hugging Face's config.json and encoder::EncoderOptions: which keys mean what, which values are legal, which models this library knows.
#pragma once

#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/encoder/options.h"

namespace contrastive::io {

// Notes tell what was defaulted. kFormat names key and range, kLimit a number that no real encoder has, kUnsupported an unknown model_type,
// hidden_act or position_embedding_type with the list of the known ones.
encoder::EncoderOptions read_hf_config(const Json& config, const std::string& source, std::vector<std::string>& notes);

// `as_read` (may be null) with every key that this library understands set from `options`; keys that it does not understand are kept.
Json write_hf_config(const encoder::EncoderOptions& options, const Json& as_read);

}  // namespace contrastive::io
