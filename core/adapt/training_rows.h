// What the training run reads: the training pairs with the negatives that were mined for them, and
// with those that they came with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/adapt/pair_set.h"
#include "core/base/cancel.h"

namespace contrastive::adapt {

struct TrainingRows {
  int64_t rows = 0, with_negatives = 0;
};

// Writes a JSON line for each pair. `mined`: triplets as mining::mine() writes them, "" for none. A
// pair for which nothing was mined stays, as a plain pair.
TrainingRows write_training_rows(const std::string& path, const std::vector<AdaptPair>& pairs,
                                 const std::string& mined, const Cancel* cancel);

}  // namespace contrastive::adapt
