// Which layers of an encoder see a window of their text only, as config.json says.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/json.h"

namespace contrastive::io {

// layer_types where it stands: a list of full_attention and sliding_attention, one for each layer;
// otherwise what the family's rule says. kFormat, kUnsupported.
std::vector<bool> local_layers(const JsonObject& json, int64_t layers,
                               const std::function<bool(int64_t layer)>& rule);

}  // namespace contrastive::io
