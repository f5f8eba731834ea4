// Tokenizers of a SentencePiece file whose model is BPE: Gemma's and Llama's tokenizer.model.
#pragma once

#include <memory>
#include <string>

#include "core/io/sentencepiece_model.h"
#include "core/io/tokenizer_settings.h"
#include "core/io/vocabulary_json.h"
#include "core/text/tokenizer.h"

namespace contrastive::io {

// The merges that the pieces stand for: every piece is made of any two pieces that are its
// beginning and its rest, and the piece that stands first in the file is made first. kLimit for
// more merges than a tokenizer may have, and for a piece longer than any that was learnt.
MergeList sentencepiece_merges(const SentencePieceModel& model, const std::string& source);

// `kind`: GemmaTokenizer or LlamaTokenizer. kUnsupported for a model that maps characters, or that
// has not all pieces for bytes.
std::shared_ptr<const text::Tokenizer> make_sentencepiece_bpe(const SentencePieceModel& model,
                                                              const std::string& kind,
                                                              const std::string& source,
                                                              const TokenizerSettings& settings);

}  // namespace contrastive::io
