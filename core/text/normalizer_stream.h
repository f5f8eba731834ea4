// Normalises a long text piece by piece: the concatenated pieces are the result of
// NormalizerChain::normalize for the whole text. If the chain consists of steps on single
// characters, no piece is much longer than requested, whatever the text. Other chains can only be
// cut between two ASCII letters or digits. The text may be malformed: each malformed sequence
// counts as U+FFFD, also in positions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/mark_run.h"
#include "core/text/normalizer_chain.h"

namespace contrastive::text {

class NormalizerStream {
 public:
  // Positions count from `shift`, the position of `text`. `size`: the bytes of text for each piece.
  NormalizerStream(const NormalizerChain& normalizer, std::string_view text, int64_t shift,
                   bool aligned, size_t size);

  // Replaces `out` by the next piece, which may be empty. False if none is left. `out` is valid
  // until the next call.
  bool next(NormalizedText& out);
  // The position of the next piece.
  int64_t place() const { return place_; }

 private:
  // The end of the next piece. A run of marks longer than a piece is not cut; `run` is set if this
  // is one.
  size_t piece_end(bool& run) const;
  size_t word_end() const;  // the same for a chain with keeps_words()
  size_t run_end() const;
  void normalize(size_t end, NormalizedText& out);

  const NormalizerChain& normalizer_;
  std::string_view text_;
  int64_t place_;
  bool aligned_;
  size_t size_, at_ = 0;
  MarkRun run_;
  bool in_run_ = false;
  std::string piece_;  // a copy, because another thread of a managed language may write to the
                       // caller's text during the call
  std::string repaired_;
};

}  // namespace contrastive::text
