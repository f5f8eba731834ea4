// WordLevel: every piece is one token, or the unknown token.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/piece_model.h"
#include "core/text/vocabulary.h"

namespace contrastive::text {

class WordLevel : public PieceModel {
 public:
  // Throws kFormat, which names `source`, if the vocabulary has no unknown token. The vocabulary
  // must outlive this object.
  WordLevel(const Vocabulary& vocabulary, const std::string& unknown_token,
            const std::string& source);
  TokenParts tokens(std::string_view piece, std::vector<TokenPart>& buffer) const override;

 private:
  const Vocabulary& vocabulary_;
  int32_t unknown_;
};

}  // namespace contrastive::text
