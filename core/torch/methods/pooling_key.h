// A config key whose value names a pooling: encoder::parse_pooling with errors that name the key.
#pragma once

#include <cstdint>
#include <string>

#include "core/torch/nn/torch_pooling.h"

namespace contrastive::methods {

// For a config that is checked before the model's layers are known.
constexpr int64_t kAnyDepth = 1 << 20;

// kArgument for a name that is not a pooling, and for a layer above `layers`.
encoder::Pooling parse_pooling_key(const std::string& key, const std::string& name,
                                   int64_t layers = kAnyDepth);

}  // namespace contrastive::methods
