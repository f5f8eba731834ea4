// The tokens of a part of a long text (one without added tokens) that comes piece by piece: the
// same as of the whole at once, in memory that does not depend on its length.
#pragma once

#include <cstddef>

#include "core/text/normalizer.h"
#include "core/text/token_sequence.h"

namespace contrastive::text {

class PartTokenizer {
 public:
  virtual ~PartTokenizer() = default;

  // The next bytes of the part, [begin, end) of `piece`: whole characters. Appends the tokens that
  // nothing behind them can change any more.
  virtual void take(const NormalizedText& piece, size_t begin, size_t end, TokenSequence& out) = 0;
  // The part ends here: appends what remains. What is taken next is another part.
  virtual void finish(TokenSequence& out) = 0;
};

}  // namespace contrastive::text
