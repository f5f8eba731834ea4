// Splits pairs into three parts: training, dev (to choose the best weights) and test. Pairs that
// share a text stay in the same part.
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

constexpr int64_t kLeastTest = 20, kLeastDev = 10, kLeastTrain = 10;  // least pairs of each part

struct PairSplit {
  std::vector<AdaptPair> train, dev, test;
  int64_t groups = 0;  // of pairs that are connected by shared texts
  // Left out because they are nearly the same as held-out pairs.
  int64_t train_near = 0, dev_near = 0;
};

// Pairs that share a text, ignoring case and white space, form a group and stay in the same part.
// Then a pair is removed from the training part if its anchor is nearly an anchor of the held-out
// parts, or its positive nearly one of their positives. Dev pairs that are nearly the same as test
// pairs are removed likewise. `dev`: with own_dev the given part, from which nothing is removed.
// kArgument if a part would have fewer pairs than it needs, with the number needed.
PairSplit split_pairs(const std::vector<AdaptPair>& pairs, std::vector<AdaptPair> dev,
                      const SplitOptions& options, const Cancel* cancel);

}  // namespace contrastive::adapt
