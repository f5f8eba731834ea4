// Folders that hold a SentencePiece model and no tokenizer.json: the tokenizer that Hugging Face's
// classes make of it, which shift its ids and add tokens, each in its own way.
#pragma once

#include <memory>
#include <string>

#include "core/io/tokenizer_settings.h"
#include "core/text/tokenizer.h"

namespace contrastive::io {

// `name`: of the model's file in `folder`. The class comes from tokenizer_config.json, else from
// config.json; kUnsupported where it is none of XLMRobertaTokenizer, CamembertTokenizer,
// AlbertTokenizer, T5Tokenizer, GemmaTokenizer and LlamaTokenizer, and for a model of another type.
std::shared_ptr<const text::Tokenizer> load_sentencepiece(const std::string& folder,
                                                          const std::string& name,
                                                          const TokenizerSettings& settings);

}  // namespace contrastive::io
