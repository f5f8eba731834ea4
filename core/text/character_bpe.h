// BPE over characters, as in SentencePiece (Gemma, BARThez). A character that the vocabulary lacks
// becomes the tokens of its bytes, or the unknown token, or nothing. A piece may be a whole text.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>

#include "core/text/bpe.h"
#include "core/text/byte_tokens.h"
#include "core/text/lazy_pages.h"
#include "core/text/piece_model.h"

namespace contrastive::text {

struct CharacterBpeOptions {
  std::string unknown_token;   // "" drops characters that the vocabulary lacks
  bool byte_fallback = false;  // a character that the vocabulary lacks becomes the tokens of its
                               // bytes, if the vocabulary has all of them
  bool fuse_unknown = false;   // consecutive unknown characters become one unknown token
  bool ignore_merges = false;  // a piece that is itself a token becomes that token
};

class CharacterBpe : public Bpe, public PieceModel {
 public:
  // Throws kFormat if the vocabulary lacks the unknown token, or a token of a merge. The vocabulary
  // must outlive this object.
  CharacterBpe(const Vocabulary& vocabulary, const Merges& merges,
               const CharacterBpeOptions& options, const std::string& source);

  TokenParts tokens(std::string_view piece, std::vector<TokenPart>& buffer) const override;
  size_t stretch_end(std::string_view piece, size_t at) const override;

 protected:
  void split(std::string_view piece, Symbols& symbols) const override;

 private:
  void find_stretches(const Merges& merges);

  const Vocabulary& vocabulary_;
  CharacterBpeOptions options_;
  int32_t unknown_ = -1;
  ByteTokens bytes_;
  LazyPages<int32_t> characters_;  // ids
  // A text may be a single long piece, but merges seldom join a word with the next one. No merge
  // joins U+2581 with a character before it, except the characters in this set. So the tokens on
  // both sides of any other such position do not affect each other.
  std::unordered_set<char32_t> before_blank_;
  bool has_stretches_ = false;
};

}  // namespace contrastive::text
