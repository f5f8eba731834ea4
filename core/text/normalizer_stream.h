// Normalisation of a long text piece by piece: the pieces end to end are what
// NormalizerChain::normalize gives for the whole. None is much longer than asked for, whatever the
// text, where the chain is one of steps on single characters; other chains need a place between two
// ASCII letters or digits. It may be malformed: each malformed sequence is U+FFFD, and places are
// those of the text with these in it.
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
  // `text` stands at byte `shift` of what the places are counted in. `size`: bytes of text that one
  // piece comes from.
  NormalizerStream(const NormalizerChain& normalizer, std::string_view text, int64_t shift,
                   bool aligned, size_t size);

  // Replaces `out` by the next piece, which may be empty; false when there is none left. `out` is
  // valid until the next call.
  bool next(NormalizedText& out);
  // Where the next piece begins, in what the places are counted in.
  int64_t place() const { return place_; }

 private:
  // The end of the next piece. A run of marks longer than a piece is not cut: `run` says that this
  // is one.
  size_t piece_end(bool& run) const;
  size_t word_end() const;  // the same for a chain that keeps words
  size_t run_end() const;
  void normalize(size_t end, NormalizedText& out);

  const NormalizerChain& normalizer_;
  std::string_view text_;
  int64_t place_;
  bool aligned_;
  size_t size_, at_ = 0;
  MarkRun run_;
  bool in_run_ = false;
  std::string piece_;  // a copy: the caller's text may be written to during the call, as one of a
                       // managed language may
  std::string repaired_;
};

}  // namespace contrastive::text
