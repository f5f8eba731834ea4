// How the keys "dist.*" become ranks: a trainer of this process alone, of its rank, or of all ranks
// on threads (ranks.cpp defines make_trainer() and resume_trainer() of training_run.h).
#pragma once

#include "core/base/config.h"

namespace contrastive::run {

// kArgument for what is wrong with the keys "dist.*", and with the environment where they say that
// it is read. Connects to no other rank.
void check_rank_keys(const Config& config);

}  // namespace contrastive::run
