// How the keys "dist.*" become ranks. What a State does among them is in ranks.cpp too.
#pragma once

#include "core/base/config.h"

namespace contrastive::run {

// kArgument for what is wrong with the keys "dist.*", and with the environment where they ask for
// it. Meets nobody.
void check_rank_keys(const Config& config);

}  // namespace contrastive::run
