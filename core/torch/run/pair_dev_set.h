// The held-out files for measuring rerankers: pairs with scores or classes, or queries with right
// and wrong documents.
#pragma once

#include <memory>
#include <string>

#include "core/torch/methods/registry.h"
#include "core/torch/run/dev_set.h"

namespace contrastive::run {

// `task`: kAuto, kSts or kRerank. `gives`: kScores or kClasses. See open_dev_set().
std::unique_ptr<DevSet> open_pair_dev_set(const std::string& path, DevTask task,
                                          methods::Gives gives);

}  // namespace contrastive::run
