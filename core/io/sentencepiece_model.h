// The file of a SentencePiece model: a message of protocol buffers, of which this reads what a
// tokenizer needs.
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

// kFormat, naming `source` and the byte, for bytes that are no such message; kLimit for more pieces
// than a vocabulary may have. Fields of other numbers are skipped.
SentencePieceModel parse_sentencepiece_model(std::string_view bytes, const std::string& source);

// Puts the pieces that stand for nothing in a text, and those that a user defined, behind `tokens`,
// where they are not among them yet.
void add_pieces_of_the_model(const SentencePieceModel& model, const text::Vocabulary& vocabulary,
                             std::vector<text::AddedToken>& tokens);

}  // namespace contrastive::io
