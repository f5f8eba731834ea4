// Reads the tokenizer of a checkpoint folder: tokenizer.json where present, else vocab.txt (+
// tokenizer_config.json), else vocab.json + merges.txt, else the model of SentencePiece.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/tokenizer.h"

namespace contrastive::io {

// kNotFound when the folder holds none of the known files, kFormat / kUnsupported / kLimit for a
// file that is malformed or of another kind. What malformed UTF-8 in a text is to the tokenizer is
// no matter of its files. Keys that this library does not know are added to `notes`.
std::shared_ptr<const text::Tokenizer> load_tokenizer(
    const std::string& folder, text::InvalidUtf8 invalid_utf8 = text::InvalidUtf8::kReplace,
    std::vector<std::string>* notes = nullptr);

// Of tokenizer.json alone, as static embeddings take a text: without special tokens around it, and
// with `model2vec` as that takes it besides.
std::shared_ptr<const text::Tokenizer> load_static_tokenizer(
    const std::string& folder, bool model2vec,
    text::InvalidUtf8 invalid_utf8 = text::InvalidUtf8::kReplace,
    std::vector<std::string>* notes = nullptr);

std::shared_ptr<const text::Tokenizer> static_tokenizer(std::string_view document,
                                                        const std::string& source, bool model2vec,
                                                        text::InvalidUtf8 invalid_utf8,
                                                        std::vector<std::string>* notes = nullptr);

// Whether read_tokenizer_bytes() takes a file of this name along.
bool is_tokenizer_file(std::string_view name);

// The bytes of the files that make up the folder's tokenizer, by name: what a saved model carries
// along.
std::map<std::string, std::string> read_tokenizer_bytes(const std::string& folder);

// Changes `files`, those of `folder`, where a saved model of `model_type` would be read with
// another tokenizer class than `folder` is: they then state the class, and the inputs that go with
// it.
void keep_tokenizer_class(const std::string& folder, const std::string& model_type,
                          std::map<std::string, std::string>& files);

}  // namespace contrastive::io
