// Tokenises a part of a long text (without added tokens) that arrives piece by piece. The tokens
// are the same as for the whole part at once, in memory that does not depend on its length.
#pragma once

#include <cstddef>

#include "core/text/normalizer.h"
#include "core/text/token_sequence.h"

namespace contrastive::text {

class PartTokenizer {
 public:
  virtual ~PartTokenizer() = default;

  // Takes the next bytes of the part, [begin, end) of `piece`, which are whole characters. Appends
  // the tokens that later text cannot change.
  virtual void take(const NormalizedText& piece, size_t begin, size_t end, TokenSequence& out) = 0;
  // Ends the part: appends the remaining tokens. The next take() begins another part.
  virtual void finish(TokenSequence& out) = 0;
};

}  // namespace contrastive::text
