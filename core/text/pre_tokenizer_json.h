// Reads the `pre_tokenizer` of tokenizer.json: the splitters of a PieceTokenizer.
#pragma once

#include <string>

#include "core/base/json.h"
#include "core/text/piece_tokenizer.h"

namespace contrastive::text {

// kUnsupported names a part of an unknown type and its place; kFormat and kLimit name the key.
PieceTokenizer::Splitters read_pre_tokenizer(const Json& value, const std::string& source);

}  // namespace contrastive::text
