// Reads the tokenizer of a checkpoint folder: tokenizer.json where present, else vocab.txt (+ tokenizer_config.json), else vocab.json + merges.txt.
#pragma once

#include <memory>
#include <string>

#include "core/text/tokenizer.h"

namespace contrastive::io {

// kNotFound when the folder holds none of the known files, kFormat / kUnsupported / kLimit for a file that is malformed or of another kind.
std::shared_ptr<const text::Tokenizer> load_tokenizer(const std::string& folder);

// Copies the tokenizer's files (tokenizer.json, vocab.txt, vocab.json, merges.txt, tokenizer_config.json, special_tokens_map.json,
// added_tokens.json, those present) from one checkpoint folder into another.
void copy_tokenizer_files(const std::string& from, const std::string& to);

}  // namespace contrastive::io
