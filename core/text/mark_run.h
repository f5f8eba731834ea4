// Puts a run of marks of any length into canonical order, in constant memory: one pass over the run
// for each class of marks in it (at most 55), instead of a sort. The result is that of
// Normalizer::normalize for the run, piece by piece.
#pragma once

#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/text/normalizer_item.h"

namespace contrastive::text {

class MarkRun {
 public:
  MarkRun() = default;
  // `run` is at byte `shift` of its text; both must outlive this object. A malformed sequence in
  // the run counts as U+FFFD, three bytes.
  MarkRun(const Normalizer& normalizer, std::string_view run, int64_t shift);

  // False if more than one step decomposes, or if a mark is before a character that no mark may
  // pass: then the run cannot be ordered class by class.
  bool possible() const { return possible_; }
  int64_t bytes() const { return bytes_; }  // of the run
  // Replaces `out` by the next normalised characters, about `size` bytes. False if nothing is left.
  bool next(size_t size, bool aligned, NormalizedText& out);

 private:
  void decompose_next();                  // decomposes the character at at_ into items_ and moves
                                          // at_ after it
  void take(const NormalizerItem& item);  // the position of the item in the source, and the steps
                                          // after the decomposition

  const Normalizer* normalizer_ = nullptr;
  std::string_view run_;
  int64_t shift_ = 0;
  bool possible_ = false;
  std::bitset<256> classes_;
  size_t class_ = 0;               // the class that is being emitted
  size_t at_ = 0;                  // position in the run
  int64_t place_ = 0, bytes_ = 0;  // the position counted with U+FFFD for malformed sequences, and
                                   // the length of the whole run
  size_t source_at_ = 0;           // the end of the source that the items come from now
  int64_t source_place_ = 0;
  size_t sources_left_ = 0;      // how many more before the decomposition
  int64_t begin_ = 0, end_ = 0;  // of that source
  std::vector<NormalizerItem> items_, made_, buffer_;
};

}  // namespace contrastive::text
