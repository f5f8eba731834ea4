// Writes the input of the training run: the training pairs with their mined negatives and with the
// negatives that they came with.
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

// Writes a JSON line for each pair. `mined`: triplets as mining::mine() writes them, or "". A pair
// without mined negatives is written as a plain pair.
TrainingRows write_training_rows(const std::string& path, const std::vector<AdaptPair>& pairs,
                                 const std::string& mined, const Cancel* cancel);

}  // namespace contrastive::adapt
