// A tokenizer.json with fewer tokens: what model2vec keeps of a tokenizer when it distils an
// encoder into a table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/tokenizer.h"

namespace contrastive::io {

struct PrunedTokenizer {
  std::string document;       // tokenizer.json: ids from 0 without gaps, nothing put around a text
  std::vector<int32_t> kept;  // [new id] the id in the old one
};

// Without the added tokens but padding and unknown, and with `drop_unused` without those of BERT's
// that no text has ([unused0], ...). `tokenizer` is that of the document. kUnsupported where a
// merge needs a token that would go.
PrunedTokenizer prune_tokenizer(std::string_view document, const std::string& source,
                                const text::Tokenizer& tokenizer, bool drop_unused);

}  // namespace contrastive::io
