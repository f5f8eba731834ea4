// Warnings about the examples, the loss and the gradients of updates.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/torch/methods/method.h"
#include "core/torch/run/train_options.h"
#include "core/torch/run/update_source.h"

namespace contrastive::run {

// Says once that some examples of a run teach nothing, or less than they could.
class UpdateWarnings {
 public:
  // Of a batch with one example, where the method takes its negatives from the batch. `data`: null
  // where the caller brings every batch.
  void look_for_single(const Update& update, const RunConfig& config, const data::Dataset* data);
  // Of texts of update `step` that were cut. `before`: how many had been cut before.
  static void look_for_truncated(int64_t texts, int64_t before, int64_t step,
                                 const RunConfig& config);

 private:
  bool said_single_ = false;
};

// What is known of an update whose `what` (loss or gradient) is not finite: everything that is
// needed to find the cause.
std::string describe_non_finite(const char* what, int64_t step, double lr, const data::Batch& batch,
                                const methods::Views& views, const RunConfig& config,
                                const std::vector<methods::Parameter>& parameters);

}  // namespace contrastive::run
