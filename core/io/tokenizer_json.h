// tokenizer.json, the one-file form of a Hugging Face tokenizer: its parts as core/text needs them,
// changed as transformers 5 changes them where the settings name a class (tokenizer_class.h). Of
// its truncation the side counts, and for static embeddings the length. Padding and the decoder are
// not used. Which file of a folder is read is decided in tokenizer_files.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/tokenizer_settings.h"
#include "core/text/pipeline_tokenizer.h"

namespace contrastive::io {

// kUnsupported names the part that is of an unknown kind; kFormat and kLimit name the key. Keys
// that this library does not know are added to `notes`.
std::shared_ptr<const text::Tokenizer> tokenizer_from_json(
    std::string_view document, const std::string& source, const TokenizerSettings& settings,
    std::vector<std::string>* notes = nullptr);

// What the settings say of every kind of tokenizer alike.
void apply_settings(const TokenizerSettings& settings, text::TokenizerParts& parts);

// Ids of added tokens by Hugging Face's rule: the vocabulary's where it has the token, else one
// after the other behind it. kFormat where a stated id (not -1) is another one: the model's rows
// would not be those of the file.
void resolve_added_tokens(const text::Vocabulary& vocabulary, const std::string& source,
                          std::vector<text::AddedToken>& tokens);

}  // namespace contrastive::io
