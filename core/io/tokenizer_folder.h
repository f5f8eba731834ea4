// Shared code of the readers of folders without tokenizer.json.
#pragma once

#include <string>
#include <vector>

#include "core/io/tokenizer_settings.h"
#include "core/text/pipeline_tokenizer.h"

namespace contrastive::io {

// The class in tokenizer_config.json without "Fast" at its end. Throws kUnsupported if it is not in
// `known`.
std::string known_class(const TokenizerSettings& settings, const std::vector<std::string>& known,
                        const std::string& folder);

// The parts that all of them have. `required` tokens must be in the vocabulary; `optional` ones,
// such as the mask, are used if present.
text::TokenizerParts read_parts(const std::string& source, text::TokenList tokens,
                                const TokenizerSettings& settings,
                                const std::vector<std::string>& required,
                                const std::vector<text::AddedToken>& optional);

}  // namespace contrastive::io
