// WordPiece (Schuster and Nakajima 2012; BERT's variant): splits a word greedily into the longest
// tokens of the vocabulary, from left to right.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/text/normalizer.h"
#include "core/text/piece_model.h"
#include "core/text/token_map.h"
#include "core/text/token_sequence.h"
#include "core/text/vocabulary.h"

namespace contrastive::text {

struct WordPieceOptions {
  std::string unknown_token = "[UNK]";
  std::string continuing_prefix = "##";    // marks tokens that continue a word
  int64_t max_input_chars_per_word = 100;  // a word with more characters becomes the unknown token
};

class WordPiece : public PieceModel {
 public:
  // Throws kFormat if the vocabulary has no unknown token. The vocabulary must outlive this object.
  WordPiece(const Vocabulary& vocabulary, const WordPieceOptions& options,
            const std::string& source);

  // Appends the tokens of the word text.bytes[begin, end). A word that cannot be split completely
  // becomes one unknown token.
  void tokenize(const NormalizedText& text, size_t begin, size_t end, TokenSequence& out) const;
  TokenParts tokens(std::string_view word, std::vector<TokenPart>& buffer) const override;

 private:
  bool too_long(std::string_view word) const;
  // Calls emit(id, begin, end) for the tokens of the word. False if the word cannot be split
  // completely.
  template <class Emit>
  bool cut(std::string_view word, const Emit& emit) const;

  WordPieceOptions options_;
  int32_t unknown_;
  TokenMap first_;       // every token unchanged: it may begin a word
  TokenMap continuing_;  // the tokens with the prefix, without it
};

}  // namespace contrastive::text
