// Hugging Face's config.json and encoder::Architecture. What a key means is the business of its
// family (core/io/families).
#pragma once

#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/encoder/architecture.h"

namespace contrastive::io {

// Notes tell what was defaulted. kFormat names key and range, kLimit a number that no real encoder
// has, kUnsupported an unknown model_type, hidden_act or position_embedding_type with the list of
// the known ones.
encoder::Architecture read_hf_config(const Json& config, const std::string& source,
                                     std::vector<std::string>& notes);

// `as_read` (may be null) with every key that this library understands set from `architecture`;
// keys that it does not understand are kept. `head`: what the folder holds as well: nothing, the
// head of masked language modelling, or a reranker's.
enum class HeadKind { kNone, kMaskedLm, kClassifier };
Json write_hf_config(const encoder::Architecture& architecture, const Json& as_read,
                     HeadKind head = HeadKind::kNone);

}  // namespace contrastive::io
