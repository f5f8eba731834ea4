// Converts between Hugging Face's config.json and encoder::Architecture. The families define the
// meaning of the keys (core/io/families).
#pragma once

#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/encoder/architecture.h"

namespace contrastive::io {

// The notes list the defaults that were used. Throws kFormat, which names key and range; kLimit for
// a number that no real encoder has; kUnsupported, which lists the known values, for an unknown
// model_type, hidden_act or position_embedding_type.
encoder::Architecture read_hf_config(const Json& config, const std::string& source,
                                     std::vector<std::string>& notes);

// Returns `as_read` (may be null) with every key that this library understands set from
// `architecture`. Other keys are kept. `head`: the head that the folder contains: none, for masked
// language modelling, or a reranker's.
enum class HeadKind { kNone, kMaskedLm, kClassifier };
Json write_hf_config(const encoder::Architecture& architecture, const Json& as_read,
                     HeadKind head = HeadKind::kNone);

}  // namespace contrastive::io
