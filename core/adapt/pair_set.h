// The pairs for an adaptation: distinct, with a text on both sides.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/data/dataset.h"

namespace contrastive::adapt {

struct AdaptPair {
  std::string anchor, positive;
  std::vector<std::string> negatives = {};  // negatives that the pair came with
};

struct PairSet {
  std::vector<AdaptPair> pairs;
  // Rows that were read, and those of them left out because a text is blank. Both include the rows
  // that the dataset itself left out for that reason.
  int64_t read = 0, empty = 0;
  int64_t repeated = 0;  // left out because both texts occurred before
  int64_t labelled = 0;  // pairs with a label or score, which is ignored
};

// `name` identifies the dataset in messages. kArgument, with file and line, for a text without a
// partner.
PairSet read_pair_set(const data::Dataset& data, const std::string& name, const Cancel* cancel);

// Writes and reads pairs as JSON lines: {"anchor", "positive", "negatives"}. Invalid UTF-8 becomes
// U+FFFD, as in the tokenizer.
void write_pairs(const std::string& path, const std::vector<AdaptPair>& pairs);
std::vector<AdaptPair> read_pairs_back(const std::string& path);

}  // namespace contrastive::adapt
