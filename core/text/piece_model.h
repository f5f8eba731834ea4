// A model that turns one piece of text into tokens. Pre-tokenizers split a text into pieces for it.
#pragma once

#include <string_view>
#include <vector>

#include "core/text/token_part.h"

namespace contrastive::text {

class PieceModel {
 public:
  virtual ~PieceModel() = default;

  // The tokens of `piece`, which must not be empty. The result may point into `buffer` or into the
  // model's cache.
  virtual TokenParts tokens(std::string_view piece, std::vector<TokenPart>& buffer) const = 0;
  // The end of the stretch that begins at `at`. The tokens of a stretch do not depend on the text
  // before and after it.
  virtual size_t stretch_end(std::string_view piece, size_t at) const {
    return at < piece.size() ? piece.size() : at;
  }
  // The token whose own text is replaced by that of the piece when spaces at its ends are counted;
  // -1 if the model has no such token.
  virtual int32_t text_token() const { return -1; }
};

}  // namespace contrastive::text
