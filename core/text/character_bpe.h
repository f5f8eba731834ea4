// BPE as SentencePiece uses it (Gemma, BARThez): a piece of text is merged from its characters. A
// character that the vocabulary lacks becomes the tokens of its bytes, or the unknown token, or
// nothing. A piece may be a whole text.
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
  std::string unknown_token;   // "": characters that the vocabulary lacks are dropped
  bool byte_fallback = false;  // a character that the vocabulary lacks is its bytes, where the
                               // vocabulary has tokens for all of them
  bool fuse_unknown = false;   // neighbouring unknown characters are one unknown token
  bool ignore_merges = false;  // a piece that is a token itself is that token
};

class CharacterBpe : public Bpe, public PieceModel {
 public:
  // kFormat when the vocabulary lacks the unknown token, or a token of a merge. The vocabulary must
  // outlive this object.
  CharacterBpe(const Vocabulary& vocabulary, const Merges& merges,
               const CharacterBpeOptions& options, const std::string& source);

  TokenParts tokens(std::string_view piece, std::vector<TokenPart>& buffer) const override;
  size_t stretch_end(std::string_view piece, size_t at) const override;
  bool has_stretches() const override { return has_stretches_; }

 protected:
  void split(std::string_view piece, Symbols& symbols) const override;

 private:
  void find_stretches(const Merges& merges);

  const Vocabulary& vocabulary_;
  CharacterBpeOptions options_;
  int32_t unknown_ = -1;
  ByteTokens bytes_;
  LazyPages<int32_t> characters_;  // ids
  // A text of one piece is long, but merges seldom join a word with the next: no merge makes a
  // token with another character than these before U+2581, so that the tokens on both sides of such
  // a place have nothing to do with each other.
  std::unordered_set<char32_t> before_blank_;
  bool has_stretches_ = false;
};

}  // namespace contrastive::text
