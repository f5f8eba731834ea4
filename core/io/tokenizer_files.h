// Reads the tokenizer of a checkpoint folder: tokenizer.json if present, otherwise vocab.txt (+
// tokenizer_config.json), otherwise vocab.json + merges.txt, otherwise a SentencePiece model.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/tokenizer.h"

namespace contrastive::io {

// Throws kNotFound if the folder has none of the known files, and kFormat, kUnsupported or kLimit
// for a file that is malformed or of another kind. The caller chooses what the tokenizer does with
// malformed UTF-8 in a text, because no file says so. Unknown keys are added to `notes`.
std::shared_ptr<const text::Tokenizer> load_tokenizer(
    const std::string& folder, text::InvalidUtf8 invalid_utf8 = text::InvalidUtf8::kReplace,
    std::vector<std::string>* notes = nullptr);

// Reads only tokenizer.json and tokenises texts for static embeddings: without special tokens
// around them, and with `model2vec` also in the other ways of model2vec.
std::shared_ptr<const text::Tokenizer> load_static_tokenizer(
    const std::string& folder, bool model2vec,
    text::InvalidUtf8 invalid_utf8 = text::InvalidUtf8::kReplace,
    std::vector<std::string>* notes = nullptr);

std::shared_ptr<const text::Tokenizer> static_tokenizer(std::string_view document,
                                                        const std::string& source, bool model2vec,
                                                        text::InvalidUtf8 invalid_utf8,
                                                        std::vector<std::string>* notes = nullptr);

// Whether read_tokenizer_bytes() includes a file of this name.
bool is_tokenizer_file(std::string_view name);

// The bytes of the files that make up the folder's tokenizer, by name. A saved model contains them.
std::map<std::string, std::string> read_tokenizer_bytes(const std::string& folder);

// Changes `files`, those of `folder`, if a saved model of `model_type` would otherwise be read with
// another tokenizer class than `folder`: they then state the class and its inputs.
void keep_tokenizer_class(const std::string& folder, const std::string& model_type,
                          std::map<std::string, std::string>& files);

}  // namespace contrastive::io
