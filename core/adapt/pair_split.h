// Pairs dealt out to three parts: to train on, to choose the best weights by, and to test. What
// belongs together stays together.
#pragma once

#include <cstdint>
#include <vector>

#include "core/adapt/pair_set.h"
#include "core/base/cancel.h"

namespace contrastive::adapt {

struct SplitOptions {
  double dev_share = 0.1, test_share = 0.2;
  double near_duplicate = 0.8;  // see NearDuplicates
  int64_t seed = 1;
  bool own_dev = false;  // the dev part was given: none is taken from the pairs
};

constexpr int64_t kLeastTest = 20, kLeastDev = 10, kLeastTrain = 10;  // pairs of a part

struct PairSplit {
  std::vector<AdaptPair> train, dev, test;
  int64_t groups = 0;  // of pairs that hang together by a text
  // Left out, as they are nearly the same as held-out ones.
  int64_t train_near = 0, dev_near = 0;
};

// Pairs that share a text, but for case and white space, are a group and stay on one side. Then a
// pair is taken out of the training part if its anchor is nearly an anchor of the held-out parts,
// or its positive nearly one of their positives; and out of the dev part where the test part has
// the like. `dev`: with own_dev the given part, of which nothing is taken out. kArgument where a
// part would have fewer pairs than it needs, with the number that are needed.
PairSplit split_pairs(const std::vector<AdaptPair>& pairs, std::vector<AdaptPair> dev,
                      const SplitOptions& options, const Cancel* cancel);

}  // namespace contrastive::adapt
