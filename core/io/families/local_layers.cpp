#include "core/io/families/local_layers.h"

#include <string>

#include "core/base/error.h"

namespace contrastive::io {

std::vector<bool> local_layers(const JsonObject& json, int64_t layers,
                               const std::function<bool(int64_t layer)>& rule) {
  std::vector<bool> local;
  if (!json.has("layer_types")) {
    for (int64_t layer = 0; layer < layers; ++layer) local.push_back(rule(layer));
    return local;
  }
  const Json& types = json.at("layer_types");
  check(types.is_array() && static_cast<int64_t>(types.size()) == layers, Status::kFormat,
        json.source(), ": layer_types must list ", layers, " layers");
  for (const Json& type : types) {
    check(type == "full_attention" || type == "sliding_attention", Status::kUnsupported,
          json.source(), ": layer_types holds ", type.dump().substr(0, 60),
          "; known: full_attention, sliding_attention");
    local.push_back(type == "sliding_attention");
  }
  return local;
}

}  // namespace contrastive::io
