// tokenizer.json, the one-file form of a Hugging Face tokenizer: its parts as core/text needs them. Truncation and padding that the file may state
// are the caller's business here, and the decoder is not used. Which file of a folder is read is decided in tokenizer_files.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/tokenizer_settings.h"
#include "core/text/tokenizer.h"

namespace contrastive::io {

// kUnsupported names the part that is of an unknown kind; kFormat and kLimit name the key.
std::shared_ptr<const text::Tokenizer> tokenizer_from_json(std::string_view document, const std::string& source, const TokenizerSettings& settings);

// Ids of added tokens by Hugging Face's rule: the vocabulary's where it has the token, else one after the other behind it. kFormat where a stated
// id (not -1) is another one: the model's rows would not be those of the file.
void resolve_added_tokens(const text::Vocabulary& vocabulary, const std::string& source, std::vector<text::AddedToken>& tokens);

}  // namespace contrastive::io
