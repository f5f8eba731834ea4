// The folder of a run's automatic checkpoints: "step-0000000200" for every save, of which the
// newest are kept, and "best".
#pragma once

#include <cstdint>
#include <string>

#include "core/base/config.h"

namespace contrastive::run {

// The folder that key "checkpoints" names, "" where it names none. One that is called "2024" may
// have become a number on the way.
std::string checkpoints_of(const Config& config);

// Makes the folder where it is missing, and removes from it what saves that were killed left. kIo,
// and kArgument for something else than a folder: said before the training, not at the first save.
void prepare_checkpoints(const std::string& folder);

// kArgument naming the first checkpoint, of a stage too, or "best" that lies in `folder`: those of
// another run would be taken for this one's.
void refuse_used_checkpoints(const std::string& folder);

std::string checkpoint_path(const std::string& folder, int64_t step);
std::string best_checkpoint_path(const std::string& folder);

// The newest whole checkpoint in `folder`; of a run in stages, whose folder has one for each, that
// of the latest stage. "" where there is none.
std::string newest_checkpoint(const std::string& folder);

// Removes all but the `keep` newest checkpoints (0 = none is removed); nothing else that lies in
// the folder.
void drop_old_checkpoints(const std::string& folder, int64_t keep);

// Removes the checkpoints after update `step`, and nothing else: what a run had made before it was
// resumed from an earlier place.
void drop_later_checkpoints(const std::string& folder, int64_t step);
// Of a run in stages: all checkpoints of the stages after `stage`, from 1, their "best" included.
// `folder` is that of the whole run.
void drop_later_stages(const std::string& folder, size_t stage);

}  // namespace contrastive::run
