// The pairs that a model is adapted on: distinct, with a text on both sides.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/data/dataset.h"

namespace contrastive::adapt {

struct AdaptPair {
  std::string anchor, positive;
  std::vector<std::string> negatives = {};  // that the pair came with
};

struct PairSet {
  std::vector<AdaptPair> pairs;
  // Rows that were read, and of these the ones left out as a text of theirs is blank. Both count
  // what the dataset itself left out for that.
  int64_t read = 0, empty = 0;
  int64_t repeated = 0;  // left out: the same two texts once more
  int64_t labelled = 0;  // that came with a label or score, which is not looked at
};

// `name` says in messages which dataset it is. kArgument, with file and line, for a text without a
// partner.
PairSet read_pair_set(const data::Dataset& data, const std::string& name, const Cancel* cancel);

// Pairs as a JSON line each, and back: {"anchor", "positive", "negatives"}. What is no UTF-8
// becomes U+FFFD, as the tokenizer reads it anyway.
void write_pairs(const std::string& path, const std::vector<AdaptPair>& pairs);
std::vector<AdaptPair> read_pairs_back(const std::string& path);

}  // namespace contrastive::adapt
