// Summarises a list of scores, as mine_hard_negatives prints it.
#pragma once

#include <vector>

#include "core/base/json.h"

namespace contrastive::mining {

// {"count", "mean", "median", "std", "min", "q25", "q50", "q75", "max"}; null if not defined. The
// median is a score of the list, the lower one of the two in the middle; quartiles are interpolated
// between scores. std is that of a sample. Sorts the scores.
Json summary_of(std::vector<float>& scores);

}  // namespace contrastive::mining
