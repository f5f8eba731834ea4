// Folders with a SentencePiece model and no tokenizer.json: builds the tokenizers of Hugging Face's
// classes, which shift the model's ids and add tokens, each in its own way.
#pragma once

#include <memory>
#include <string>

#include "core/io/tokenizer_settings.h"
#include "core/text/tokenizer.h"

namespace contrastive::io {

// `name`: the model's file in `folder`. The class comes from tokenizer_config.json, otherwise from
// config.json. Throws kUnsupported if it is not XLMRobertaTokenizer, CamembertTokenizer,
// AlbertTokenizer, T5Tokenizer, GemmaTokenizer or LlamaTokenizer, and for a model of another type.
std::shared_ptr<const text::Tokenizer> load_sentencepiece(const std::string& folder,
                                                          const std::string& name,
                                                          const TokenizerSettings& settings);

}  // namespace contrastive::io
