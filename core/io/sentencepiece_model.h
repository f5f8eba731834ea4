// Parses a SentencePiece model file: a protocol buffers message, of which only the parts for a
// tokenizer are read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/added_tokens.h"
#include "core/text/vocabulary.h"

namespace contrastive::io {

struct SentencePieceModel {
  enum Type { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };
  struct Piece {
    std::string text;
    float score = 0;
    int type = kNormal;
  };
  std::vector<Piece> pieces;
  int64_t model_type = 1;  // 1: unigram, 2: BPE
  bool byte_fallback = false;
  int64_t unknown = 0;   // index of the piece
  std::string charsmap;  // compiled; "" for none
};

// Throws kFormat, which names `source` and the byte, if the bytes are not such a message, and
// kLimit for more pieces than a vocabulary may have. Skips unknown fields.
SentencePieceModel parse_sentencepiece_model(std::string_view bytes, const std::string& source);

// Appends the control pieces and the user-defined pieces that `vocabulary` has to `tokens`, unless
// they are in it already.
void add_pieces_of_the_model(const SentencePieceModel& model, const text::Vocabulary& vocabulary,
                             std::vector<text::AddedToken>& tokens);

}  // namespace contrastive::io
