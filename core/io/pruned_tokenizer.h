// A tokenizer.json with fewer tokens: the tokens that model2vec keeps when it distils an encoder
// into a table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/tokenizer.h"

namespace contrastive::io {

struct PrunedTokenizer {
  std::string document;       // tokenizer.json: ids from 0 without gaps, adds nothing around a text
  std::vector<int32_t> kept;  // [new id] the old id
};

// Removes the added tokens except padding and unknown, and with `drop_unused` also BERT's tokens
// that no text contains ([unused0], ...). `tokenizer` must be that of the document. Throws
// kUnsupported if a merge needs a token that would be removed.
PrunedTokenizer prune_tokenizer(std::string_view document, const std::string& source,
                                const text::Tokenizer& tokenizer, bool drop_unused);

}  // namespace contrastive::io
