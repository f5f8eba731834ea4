// Reads the `pre_tokenizer` of tokenizer.json as splitters of core/text.
#pragma once

#include <string>

#include "core/base/json.h"
#include "core/text/piece_tokenizer.h"

namespace contrastive::io {

// kUnsupported names a part of an unknown type and its place; kFormat and kLimit name the key.
text::PieceTokenizer::Splitters read_pre_tokenizer(const Json& value, const std::string& source);

}  // namespace contrastive::io
