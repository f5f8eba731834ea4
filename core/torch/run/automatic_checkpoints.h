// Saves automatic checkpoints in the folder of key "checkpoints": "step-N" every save_every updates
// and at the end, and "best". A checkpoint that cannot be written does not end the run, because the
// weights are still in memory and the caller can save them elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "core/torch/run/rank_group.h"
#include "core/torch/run/records.h"
#include "core/torch/run/stage_position.h"
#include "core/torch/run/train_options.h"

namespace contrastive::run {

class AutomaticCheckpoints {
 public:
  // Writes the run into a folder.
  struct Writers {
    std::function<void(const std::string& folder)> run, best;
  };

  explicit AutomaticCheckpoints(const TrainOptions& options)
      : folder_(options.checkpoints), every_(options.save_every), keep_(options.keep) {}

  // Call after update `step`. `over`: it was the last. `new_best`: the weights are the best so far.
  void save_where_due(int64_t step, bool over, bool new_best, const StagePosition& stage,
                      const RankGroup& ranks, const Writers& writers, Records& records);
  // Call if the folder may not have the best weights of the run, after a resume. The folder may
  // have better ones from updates that this run does not include.
  void best_is_unsaved() { best_unsaved_ = true; }

 private:
  void save(int64_t step, bool due, const StagePosition& stage, const Writers& writers,
            Records& records);

  std::string folder_;
  int64_t every_, keep_;
  bool best_unsaved_ = false;
  int64_t failed_ = 0;
};

}  // namespace contrastive::run
