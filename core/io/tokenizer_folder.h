// What the readers of folders without tokenizer.json share.
#pragma once

#include <string>
#include <vector>

#include "core/io/tokenizer_settings.h"
#include "core/text/pipeline_tokenizer.h"

namespace contrastive::io {

// A special token of a vocabulary file, found as it stands before anything else.
text::AddedToken special_token(const std::string& content, bool lstrip = false);

// The class of tokenizer_config.json without "Fast" at its end. kUnsupported where it names none of `known`.
std::string known_class(const TokenizerSettings& settings, const std::vector<std::string>& known, const std::string& folder);

// The parts that all of them have. `required` tokens must be in the vocabulary; `mask` is taken if it is there: a model that was trained without it has
// no use for it.
text::TokenizerParts read_parts(const std::string& folder, const std::string& source, text::TokenList tokens, const TokenizerSettings& settings,
                                const std::vector<std::string>& required, const text::AddedToken& mask);

}  // namespace contrastive::io
