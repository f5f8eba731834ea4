// Joins the datasets of a run's tasks into one: the examples of the first, then those of the
// second, and so on. A batch never mixes them (mixed_batcher.h).
#pragma once

#include <memory>
#include <vector>

#include "core/data/dataset.h"

namespace contrastive::data {

// parts() of the result is `datasets`. There must be at least one, and none of them may be joined
// itself.
std::shared_ptr<const Dataset> join_datasets(std::vector<std::shared_ptr<const Dataset>> datasets);

}  // namespace contrastive::data
