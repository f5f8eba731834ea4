// What a list of scores looks like, as mine_hard_negatives prints it.
#pragma once

#include <vector>

#include "core/base/json.h"

namespace contrastive::mining {

// {"count", "mean", "median", "std", "min", "q25", "q50", "q75", "max"}; null where it is not
// defined. The median is a score of the list, the lower one of the two in the middle; quartiles lie
// between scores. std is that of a sample. Puts the scores in order.
Json summary_of(std::vector<float>& scores);

}  // namespace contrastive::mining
