// The unigram language model of SentencePiece (Kudo 2018): of all ways to cut a piece of text into
// tokens the most probable one, found by Viterbi's search over the characters.
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
  int32_t unknown = -1;        // id of the token for what no other token stands for
  bool byte_fallback = false;  // what no token stands for is its bytes, where the vocabulary has
                               // tokens for all of them
};

class Unigram : public PieceModel {
 public:
  // `scores` [ids of the vocabulary] logarithms of probabilities. kFormat for scores that are not
  // finite or too few, and without an unknown token: no text with a character that the vocabulary
  // lacks could be tokenised. The vocabulary must outlive this object.
  Unigram(const Vocabulary& vocabulary, std::vector<double> scores, const UnigramOptions& options,
          const std::string& source);

  TokenParts tokens(std::string_view piece, std::vector<TokenPart>& buffer) const override;
  int32_t text_token() const override { return options_.unknown; }
  // The same without remembering. Time is linear in the piece, and beside it and the tokens memory
  // is bounded.
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
  size_t longest_ = 0;  // bytes of the longest token
  PieceCache remembered_;
};

}  // namespace contrastive::text
