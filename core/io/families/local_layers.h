// Which layers of an encoder have local attention (a window of the text), according to config.json.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/json.h"

namespace contrastive::io {

// From layer_types if present: a list with full_attention or sliding_attention for each layer.
// Otherwise by the family's rule. Throws kFormat and kUnsupported.
std::vector<bool> local_layers(const JsonObject& json, int64_t layers,
                               const std::function<bool(int64_t layer)>& rule);

}  // namespace contrastive::io
