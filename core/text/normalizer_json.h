// Reads the `normalizer` of tokenizer.json: the stages of a NormalizerChain.
#pragma once

#include <string>

#include "core/base/json.h"
#include "core/text/normalizer_chain.h"
#include "core/text/pattern.h"

namespace contrastive::text {

// kUnsupported names a part of an unknown type and its place; kFormat and kLimit name the key.
NormalizerChain::Stages read_normalizer(const Json& value, const std::string& source);

// The pattern of a Replace or a Split: {"String": ...} or {"Regex": ...}.
std::shared_ptr<const Pattern> read_pattern(const JsonObject& object);

}  // namespace contrastive::text
