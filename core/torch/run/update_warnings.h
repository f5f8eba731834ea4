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

// Warns once that some examples of a run have no effect, or less than they could.
class UpdateWarnings {
 public:
  // Warns about a batch with one example if the method takes its negatives from the batch. `data`:
  // null if the caller brings every batch.
  void look_for_single(const Update& update, const RunConfig& config, const data::Dataset* data);
  // Warns about truncated texts of update `step`. `before`: how many had been truncated before.
  static void look_for_truncated(int64_t texts, int64_t before, int64_t step,
                                 const RunConfig& config);

 private:
  bool said_single_ = false;
};

// Describes an update whose `what` (loss or gradient) is not finite, with everything that helps to
// find the cause.
std::string describe_non_finite(const char* what, int64_t step, double lr, const data::Batch& batch,
                                const methods::Views& views, const RunConfig& config,
                                const std::vector<methods::Parameter>& parameters);

}  // namespace contrastive::run
