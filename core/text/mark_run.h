// Canonical order of a run of marks of any length, in memory that does not depend on it: one pass
// over the run for each class of marks in it (at most 55), instead of a sort. Gives what
// Normalizer::normalize gives for the run, piece by piece.
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
  // `run` stands at byte `shift` of its text, and both live as long as this object is used. A
  // malformed sequence in it is U+FFFD, and three bytes wide.
  MarkRun(const Normalizer& normalizer, std::string_view run, int64_t shift);

  // False where more than one step decomposes, or a mark stands before a character that none
  // passes: the run cannot be put in order class by class.
  bool possible() const { return possible_; }
  int64_t bytes() const { return bytes_; }  // of the run
  // Replaces `out` by the next normalised characters, about `size` bytes of them; false when there
  // is nothing left.
  bool next(size_t size, bool aligned, NormalizedText& out);

 private:
  void decompose_next();                  // the character at at_ into items_, and at_ behind it
  void take(const NormalizerItem& item);  // the place of the item in the source, and the steps
                                          // behind the decomposition

  const Normalizer* normalizer_ = nullptr;
  std::string_view run_;
  int64_t shift_ = 0;
  bool possible_ = false;
  std::bitset<256> classes_;
  size_t class_ = 0;               // the one that is being emitted
  size_t at_ = 0;                  // where in the run
  int64_t place_ = 0, bytes_ = 0;  // the same with U+FFFD for what is malformed, and the whole run
  size_t source_at_ = 0;           // behind the source that the items now come from
  int64_t source_place_ = 0;
  size_t sources_left_ = 0;      // how many more that character was before the decomposition
  int64_t begin_ = 0, end_ = 0;  // of that source
  std::vector<NormalizerItem> items_, made_, buffer_;
};

}  // namespace contrastive::text
