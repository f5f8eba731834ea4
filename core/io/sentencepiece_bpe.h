// Tokenizers from SentencePiece files with a BPE model: Gemma's and Llama's tokenizer.model.
#pragma once

#include <memory>
#include <string>

#include "core/io/sentencepiece_model.h"
#include "core/io/tokenizer_settings.h"
#include "core/io/vocabulary_json.h"
#include "core/text/tokenizer.h"

namespace contrastive::io {

// The merges that the pieces imply. A piece can be made from any two pieces that together form it;
// pieces that are earlier in the file are made first. Throws kLimit for more merges than a
// tokenizer may have, and for a piece longer than SentencePiece would learn.
MergeList sentencepiece_merges(const SentencePieceModel& model, const std::string& source);

// `kind`: GemmaTokenizer or LlamaTokenizer. Throws kUnsupported for a model that maps characters,
// or that lacks a piece for some byte.
std::shared_ptr<const text::Tokenizer> make_sentencepiece_bpe(const SentencePieceModel& model,
                                                              const std::string& kind,
                                                              const std::string& source,
                                                              const TokenizerSettings& settings);

}  // namespace contrastive::io
