// The unigram language model of SentencePiece (Kudo 2018): finds the most probable way to split a
// piece of text into tokens, by Viterbi's algorithm over the characters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/byte_tokens.h"
#include "core/text/piece_cache.h"
#include "core/text/piece_model.h"
#include "core/text/token_trie.h"
#include "core/text/vocabulary.h"

namespace contrastive::text {

struct UnigramOptions {
  int32_t unknown = -1;        // the id of the token for unknown text
  bool byte_fallback = false;  // unknown text becomes the tokens of its bytes, if the vocabulary
                               // has all of them
};

class Unigram : public PieceModel {
 public:
  // `scores` [ids of the vocabulary]: logarithms of probabilities. Throws kFormat for too few
  // scores, for scores that are not finite, and without an unknown token, because a text with a
  // character that the vocabulary lacks could not be tokenised. The vocabulary must outlive this
  // object.
  Unigram(const Vocabulary& vocabulary, std::vector<double> scores, const UnigramOptions& options,
          const std::string& source);

  TokenParts tokens(std::string_view piece, std::vector<TokenPart>& buffer) const override;
  int32_t text_token() const override { return options_.unknown; }
  // The same without the cache. Time is linear in the piece; memory is bounded, except for the
  // piece and the tokens.
  void compute(std::string_view piece, std::vector<TokenPart>& out) const;

 private:
  struct Node;
  class Emitter;
  struct Buffers;

  void offer_all(std::string_view piece, size_t at, size_t base, std::vector<Node>& nodes) const;

  const Vocabulary& vocabulary_;
  std::vector<double> scores_;
  UnigramOptions options_;
  double unknown_score_ = 0;
  ByteTokens bytes_;
  TokenTrie trie_;
  size_t longest_ = 0;  // of the longest token, in bytes
  PieceCache remembered_;
};

}  // namespace contrastive::text
