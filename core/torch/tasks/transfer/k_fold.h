// Which examples are held out together: folds and hold-outs for the transfer tasks
// (core/torch/tasks/transfer/README.md). Draws come from the given Rng alone.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/rng.h"

namespace contrastive::eval {

// The fold in [0, folds) of each example, stratified: the folds' sizes differ by at most one, and
// so do a class's counts in them. How many examples of a class a fold has is exactly what
// scikit-learn's StratifiedKFold gives it; which ones is drawn. kArgument for fewer than two folds,
// or more folds than the largest class has examples.
std::vector<int64_t> stratified_folds(const std::vector<int64_t>& labels, int64_t folds, Rng rng);

// Ascending numbers of the examples in (`held_out`) and outside one fold.
struct FoldSplit {
  std::vector<int64_t> rest, held_out;
};
FoldSplit split_at(const std::vector<int64_t>& folds, int64_t fold);

// int(share * count) examples, but at least one, drawn as the held-out ones. `count` must be
// above 1.
FoldSplit random_hold_out(int64_t count, double share, Rng rng);

}  // namespace contrastive::eval
