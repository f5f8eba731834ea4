#include "core/torch/run/progress.h"

namespace contrastive::run {

void Progress::report(const RunPlan& plan, Records& records) const {
  records.set("step", static_cast<double>(step));
  records.set("total_steps", static_cast<double>(plan.total_steps));
  records.set("steps_per_epoch", static_cast<double>(plan.steps_per_epoch));
  records.set("epoch", plan.steps_per_epoch > 0
                           ? static_cast<double>(step) / static_cast<double>(plan.steps_per_epoch)
                           : 0);
  records.set("skipped", static_cast<double>(skipped));
  records.set("truncated", static_cast<double>(truncated));
}

void Progress::save(TrainingState& state) const {
  state.fields["step"] = step;
  state.fields["skipped"] = skipped;
  state.fields["truncated"] = truncated;
  state.fields["prepared"] = prepared;
  state.fields["unsettled"] = unsettled;
}

void Progress::restore(const TrainingState& state) {
  const JsonObject fields = state.read();
  step = fields.integer("step", 0, kLargestCount);
  skipped = fields.integer("skipped", 0, kLargestCount);
  truncated = fields.integer("truncated", 0, kLargestCount);
  prepared = fields.boolean("prepared", false);
  unsettled = fields.boolean("unsettled", false);
}

}  // namespace contrastive::run
