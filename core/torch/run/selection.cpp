#include "core/torch/run/selection.h"

#include <cmath>

#include "core/base/log.h"

namespace contrastive::run {

void Selection::offer(int64_t step, const std::vector<Score>& scores,
                      const std::function<tensors::TorchTensorMap()>& copy_weights) {
  evaluated_at_ = step;
  for (const Score& score : scores) {
    last_scores_.add(step, score);
    if (score.figure != figure_) continue;
    EarlyStopping offered = stopping_;
    if (offered.offer(score.value, step)) best_ = copy_weights();
    stopping_ = offered;
    const std::string& name = figure_ == TrainOptions::kDevFile ? score.measure : figure_;
    log_info("update ", step, ": ", name, " ", score.value,
             best_at(step) ? ", the best so far" : "");
    if (std::isnan(score.value)) {
      log_warning("update ", step, ": ", name,
                  " is not defined (are all similarities or scores the same?): it counts as worse "
                  "than any other");
    }
  }
  if (best_at(step)) best_scores_ = last_scores_;
}

void Selection::report(Records& records) const {
  if (stopping_.best_step() < 0) return;
  records.set("best_dev", stopping_.best());
  records.set("best_step", static_cast<double>(stopping_.best_step()));
}

void Selection::save(TrainingState& state) const {
  state.add_tensors("best.", best_);
  state.fields["evaluated_at"] = evaluated_at_;
  state.fields["early_stopping"] = stopping_.state();
  state.fields["last_scores"] = last_scores_.state();
  state.fields["best_scores"] = best_scores_.state();
}

void Selection::restore(const TrainingState& state) {
  const JsonObject fields = state.read();
  if (fields.has("last_scores")) last_scores_.restore(fields.at("last_scores"));
  const std::string before =
      JsonObject(fields.at("resolved_config"), fields.source()).string("dev_select");
  if (before != figure_) {
    log_info("the best weights were chosen by ", before, " and are chosen again, by ", figure_);
    return;
  }
  evaluated_at_ = fields.integer("evaluated_at", -1, kLargestCount);
  stopping_.restore(fields.at("early_stopping"));
  best_ = state.tensors_under("best.");
  if (fields.has("best_scores")) best_scores_.restore(fields.at("best_scores"));
}

void Selection::report_last(Records& records) const {
  if (evaluated_at_ >= 0) records.measure(figure_, stopping_.last());
}

}  // namespace contrastive::run
