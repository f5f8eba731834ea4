// Splits examples into folds and hold-outs for the transfer tasks
// (core/torch/tasks/transfer/README.md). Draws come only from the given Rng.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/rng.h"

namespace contrastive::eval {

// Returns the fold in [0, folds) of each example, stratified: the sizes of the folds differ by at
// most one, and so do the counts of a class in them. A fold has exactly as many examples of each
// class as in scikit-learn's StratifiedKFold; which ones is drawn. kArgument for fewer than two
// folds, or more folds than the largest class has examples.
std::vector<int64_t> stratified_folds(const std::vector<int64_t>& labels, int64_t folds, Rng rng);

// The indices, ascending, of the examples in (`held_out`) and outside one fold.
struct FoldSplit {
  std::vector<int64_t> rest, held_out;
};
FoldSplit split_at(const std::vector<int64_t>& folds, int64_t fold);

// Draws int(share * count) examples, but at least one, as the held-out ones. `count` must be above
// 1.
FoldSplit random_hold_out(int64_t count, double share, Rng rng);

}  // namespace contrastive::eval
