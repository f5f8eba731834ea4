// Byte-pair encoding of a piece of any length (one word of fifty megabytes, one run of spaces) in
// windows: the same tokens as of the whole at once.
//
// Why that is so: merging the whole never joins two neighbours of a sequence of tokens exactly when
// merging any two neighbours alone gives those two again. (Take the first merge that joins two of
// them: up to it each token's bytes were merged among themselves, in the same order in which they
// are merged alone, so the same merge would be made with these two alone.) A window's tokens are
// such a sequence. Behind one of its tokens in the middle the next window begins, and where that
// token and the next window's first one are such neighbours too, the joined sequence is the
// encoding of both. Where they are not, what stands behind the window reaches back to its middle:
// the next window is made longer.
#pragma once

#include <string_view>
#include <vector>

#include "core/text/byte_bpe.h"

namespace contrastive::text {

class LongPiece {
 public:
  // `window`: bytes. For a model that does not drop bytes.
  LongPiece(const ByteBpe& model, size_t window)
      : model_(model), window_(window), next_window_(window) {}

  // `rest`: the bytes of the piece behind those that an earlier call answered, as far as they are
  // known, and all of them when `ended`. Replaces `done` by the next tokens, and returns how many
  // bytes they cover.
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
