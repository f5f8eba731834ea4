#include "core/torch/run/automatic_checkpoints.h"

#include <exception>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/torch/run/kept_checkpoints.h"

namespace contrastive::run {

void AutomaticCheckpoints::save_where_due(int64_t step, bool over, bool new_best,
                                          const StagePosition& stage, const RankGroup& ranks,
                                          const Writers& writers, Records& records) {
  if (folder_.empty()) return;
  const bool due = over || (every_ > 0 && step % every_ == 0);
  if (!due && !new_best) return;
  best_unsaved_ = best_unsaved_ || new_best;
  ranks.on_first([&] { save(step, due, stage, writers, records); },
                 cat("while rank 0 saves update ", step));
}

void AutomaticCheckpoints::save(int64_t step, bool due, const StagePosition& stage,
                                const Writers& writers, Records& records) {
  try {
    const std::string folder = stage.checkpoints_in(folder_);
    prepare_checkpoints(folder);
    // A run that was resumed from an earlier checkpoint no longer includes later ones. The newest
    // checkpoint in the folder must belong to this run.
    drop_later_checkpoints(folder, step);
    if (stage.staged()) drop_later_stages(folder_, stage.index() + 1);
    if (best_unsaved_) writers.best(best_checkpoint_path(folder));
    best_unsaved_ = false;
    if (!due) return;
    writers.run(checkpoint_path(folder, step));
    drop_old_checkpoints(folder, keep_);
  } catch (const std::exception& error) {
    records.set("failed_saves", static_cast<double>(++failed_));
    log_warning("the checkpoint of update ", step,
                " was not written, and the run continues: ", error.what());
  }
}

}  // namespace contrastive::run
