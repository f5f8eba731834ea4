// Byte-pair encoding of a piece of any length (one word of fifty megabytes, one run of spaces) in
// windows. The tokens are the same as for the whole piece at once.
//
// Why this is correct: a sequence of tokens is the encoding of its text exactly if, for any two
// neighbours, encoding their joined text alone gives the same two tokens again. (Consider the first
// merge that joins parts of two neighbours. Before it, the bytes of each token were merged only
// among themselves, in the same order as when they are encoded alone. So the same merge would
// happen with these two tokens alone.) The tokens of a window are such a sequence. The next window
// begins after a token in the middle of this window. If that token and the first token of the next
// window are such neighbours too, the joined sequence is the encoding of both windows. If not, the
// text after this window affects it back to its middle, and the next window is made longer.
#pragma once

#include <string_view>
#include <vector>

#include "core/text/byte_bpe.h"

namespace contrastive::text {

class LongPiece {
 public:
  // `window`: in bytes. The model must not drop bytes.
  LongPiece(const ByteBpe& model, size_t window)
      : model_(model), window_(window), next_window_(window) {}

  // `rest`: the known bytes of the piece after those that earlier calls covered; all of them if
  // `ended`. Replaces `done` by the next tokens, and returns how many bytes they cover.
  size_t advance(std::string_view rest, bool ended, std::vector<Bpe::Part>& done);

 private:
  bool join(std::string_view rest, size_t count, size_t boundary);

  const ByteBpe& model_;
  size_t window_, next_window_;
  std::vector<Bpe::Part> tokens_;  // of rest[0, covered_)
  size_t covered_ = 0;
  std::vector<Bpe::Part> next_, pair_;
};

}  // namespace contrastive::text
