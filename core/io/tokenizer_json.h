// tokenizer.json, the single-file format of a Hugging Face tokenizer: reads its parts for
// core/text, with the changes that transformers 5 makes if the settings name a class
// (tokenizer_class.h). Of `truncation` only the side is used, and for static embeddings the length.
// Padding and the decoder are not used. tokenizer_files.cpp decides which file of a folder is read.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/tokenizer_settings.h"
#include "core/text/pipeline_tokenizer.h"

namespace contrastive::io {

// kUnsupported names a part of an unknown type; kFormat and kLimit name the key. Unknown keys are
// added to `notes`.
std::shared_ptr<const text::Tokenizer> tokenizer_from_json(
    std::string_view document, const std::string& source, const TokenizerSettings& settings,
    std::vector<std::string>* notes = nullptr);

// Applies the settings that are the same for every kind of tokenizer.
void apply_settings(const TokenizerSettings& settings, text::TokenizerParts& parts);

// Resolves the ids of added tokens by Hugging Face's rule: the vocabulary's id if it has the token,
// otherwise consecutive ids after the vocabulary. Throws kFormat if a stated id (not -1) differs,
// because the model's rows would then not match the file.
void resolve_added_tokens(const text::Vocabulary& vocabulary, const std::string& source,
                          std::vector<text::AddedToken>& tokens);

}  // namespace contrastive::io
