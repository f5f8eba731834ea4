// A model that turns one piece of text into tokens: what pre-tokenizers cut a text for.
#pragma once

#include <string_view>
#include <vector>

#include "core/text/token_part.h"

namespace contrastive::text {

class PieceModel {
 public:
  virtual ~PieceModel() = default;

  // The tokens of `piece`, which is not empty. The result may point into `buffer`, or into what the
  // model remembers.
  virtual TokenParts tokens(std::string_view piece, std::vector<TokenPart>& buffer) const = 0;
  // Where the stretch that begins at `at` ends: its tokens are the same without what stands before
  // and behind it.
  virtual size_t stretch_end(std::string_view piece, size_t at) const {
    return at < piece.size() ? piece.size() : at;
  }
  // The token whose text is that of the piece instead of its own, when spaces at its ends are
  // looked for; -1 where there is none.
  virtual int32_t text_token() const { return -1; }
  // Whether a part may be cut before each character of which `stretch_end` says so, although a
  // piece goes on there.
  virtual bool has_stretches() const { return false; }
};

}  // namespace contrastive::text
