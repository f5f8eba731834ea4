// Creates ranks from the keys "dist.*": a trainer of this process alone, of its rank, or of all
// ranks on threads (ranks.cpp defines make_trainer() and resume_trainer() of training_run.h).
#pragma once

#include "core/base/config.h"

namespace contrastive::run {

// kArgument for errors of the keys "dist.*", and of the environment if the keys use it. Does not
// connect to other ranks.
void check_rank_keys(const Config& config);

}  // namespace contrastive::run
