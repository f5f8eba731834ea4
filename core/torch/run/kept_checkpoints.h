// The folder of a run's automatic checkpoints: "step-0000000200" for every save, of which the
// newest are kept, and "best".
#pragma once

#include <cstdint>
#include <string>

#include "core/base/config.h"

namespace contrastive::run {

// The folder of key "checkpoints"; "" if it is not set. A folder such as "2024" may have been
// parsed as a number.
std::string checkpoints_of(const Config& config);

// Creates the folder if it is missing, and removes what killed saves left in it. Reports kIo, or
// kArgument for a path that is not a folder, before the training instead of at the first save.
void prepare_checkpoints(const std::string& folder);

// Throws kArgument if `folder` has a checkpoint (also of a stage) or "best", and names the first.
// The new run could not distinguish them from its own.
void refuse_used_checkpoints(const std::string& folder);

std::string checkpoint_path(const std::string& folder, int64_t step);
std::string best_checkpoint_path(const std::string& folder);

// The newest complete checkpoint in `folder`; for a run in stages, which has a folder for each,
// that of the latest stage. "" if no checkpoint is complete.
std::string newest_checkpoint(const std::string& folder);

// Removes all but the `keep` newest checkpoints (0: removes none), and no other file in the folder.
void drop_old_checkpoints(const std::string& folder, int64_t keep);

// Removes the checkpoints after update `step`, which the run wrote before it was resumed from an
// earlier one, and nothing else.
void drop_later_checkpoints(const std::string& folder, int64_t step);
// For a run in stages: removes all checkpoints of the stages after `stage` (from 1), including
// their "best". `folder` is that of the whole run.
void drop_later_stages(const std::string& folder, size_t stage);

}  // namespace contrastive::run
