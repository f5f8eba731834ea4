// Finds texts that are nearly the same: most of their words and pairs of neighbouring words are
// equal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/mining/text_identity.h"

namespace contrastive::adapt {

// Finds, exactly, which of a list of texts are similar to a given one, by the Jaccard similarity of
// the two sets of words and pairs of neighbouring words, in lower case and without punctuation; an
// ideograph is a word. Only texts that share one of their rarest entries are compared (prefix
// filtering: Bayardo et al., 2007).
class NearDuplicates {
 public:
  // `least`: above 0, at most 1.
  NearDuplicates(const std::vector<std::string>& texts, double least);

  // The numbers, ascending, of the texts that are at least `least` similar to `text`. A text
  // without words is similar to none.
  std::vector<int64_t> like(std::string_view text) const;
  bool has_like(std::string_view text) const { return !like(text).empty(); }

 private:
  // Ascending: the entries of a text, numbered from the rarest to the most frequent.
  using Ranks = std::vector<uint32_t>;

  size_t prefix(size_t entries) const;
  bool alike(const Ranks& a, size_t unknown, const Ranks& b) const;

  double least_;
  mining::TextNormalizer normalizer_;
  std::unordered_map<uint64_t, uint32_t> ranks_;  // of an entry's hash
  std::vector<Ranks> texts_;                      // [texts]
  std::vector<std::vector<uint32_t>>
      starting_with_;  // [ranks] texts that have this entry among their rarest
};

// The distinct entries by which two texts are compared, in no particular order.
std::vector<uint64_t> word_hashes(const mining::TextNormalizer& normalizer, std::string_view text);

}  // namespace contrastive::adapt
