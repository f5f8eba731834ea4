// The datasets of a run's tasks as one: the examples of the first, then those of the second, and so
// on. A batch never mixes them (mixed_batcher.h).
#pragma once

#include <memory>
#include <vector>

#include "core/data/dataset.h"

namespace contrastive::data {

// Its parts() are `datasets`, none of which has parts of its own. At least one.
std::shared_ptr<const Dataset> join_datasets(std::vector<std::shared_ptr<const Dataset>> datasets);

}  // namespace contrastive::data
