// The folder of a run's automatic checkpoints: "step-0000000200" for every save, of which the newest are kept, and "best".
#pragma once

#include <cstdint>
#include <string>

namespace contrastive::train {

// Makes the folder where it is missing. kIo, and kArgument for something else than a folder: said before the training, not at the first save.
void prepare_checkpoints(const std::string& folder);

std::string checkpoint_path(const std::string& folder, int64_t step);
std::string best_checkpoint_path(const std::string& folder);

// The newest whole checkpoint in `folder`; of a run in stages, whose folder has one for each, that of the latest stage. "" where there is none.
std::string newest_checkpoint(const std::string& folder);

// Removes all but the `keep` newest checkpoints (0 = none is removed); nothing else that lies in the folder.
void drop_old_checkpoints(const std::string& folder, int64_t keep);

}  // namespace contrastive::train
