#include "core/torch/run/update_warnings.h"

#include <ATen/TensorOperators.h>

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/torch/optim/gradients.h"

namespace contrastive::run {
namespace {

// The positions of the examples in the dataset, or in the update for a caller's batch.
std::string first_examples(const data::Batch& batch) {
  std::string text;
  for (size_t i = 0; i < batch.indices.size() && i < 8; ++i) {
    const int64_t index = batch.indices[i];
    text += (i == 0 ? "" : ", ") +
            std::to_string(index >= 0 ? index : batch.first_row + static_cast<int64_t>(i));
  }
  return text + (batch.indices.size() > 8 ? ", ..." : "");
}

// A description of how large the numbers of the compared vectors are, and how many are not finite.
std::string magnitudes(const methods::Views& views) {
  double largest = 0;
  int64_t numbers = 0, not_finite = 0;
  for (const auto& [name, vectors] : views.vectors) {
    if (!vectors.is_floating_point() || vectors.numel() == 0) continue;
    const at::Tensor sizes = vectors.detach().abs(),
                     bad = sizes.lt(std::numeric_limits<double>::infinity())
                               .logical_not();  // NaN compares as not below
    largest = std::max(largest, sizes.masked_fill(bad, 0).max().item<double>());
    numbers += sizes.numel();
    not_finite += bad.sum().item<int64_t>();
  }
  return cat("largest finite absolute value of a vector ", largest, ", ", not_finite,
             " of the vectors' ", numbers, " numbers not finite");
}

// ", temperature 0.05", or the scale if the method has one; "" for a method with neither.
std::string temperature_of(const RunConfig& task) {
  for (const char* key : {"temperature", "scale"}) {
    if (const Json* value = task.complete.find(task.options.method + "." + key))
      return cat(", ", key, " ", dump_ascii(*value));
  }
  return "";
}

}  // namespace

// The cause is the data, or how they are split into batches.
void UpdateWarnings::look_for_single(const Update& update, const RunConfig& config,
                                     const data::Dataset* data) {
  if (said_single_) return;
  const auto single = [&](const data::Batch& compared) {
    return config.task(static_cast<size_t>(compared.task)).traits.in_batch_negatives &&
           compared.size() == 1 && compared.examples.front().negatives.empty();
  };
  const bool across = !update.whole.examples.empty();
  const bool found = across
                         ? single(update.whole)
                         : std::any_of(update.compared().begin(), update.compared().end(), single);
  if (!found) return;
  said_single_ = true;
  if (data != nullptr && data->size() == 1) {
    log_warning("the run trains on one example",
                config.options.few_shot == 1 ? " (few_shot = 1)" : "",
                ", which has no others for negatives: its ",
                "contrastive loss and gradient are 0, and it teaches nothing");
  } else {
    log_warning("a batch of one example, an epoch's last, has no negatives: its contrastive loss "
                "and gradient are 0 (last_batch = drop leaves it ",
                "out)");
  }
}

void UpdateWarnings::look_for_truncated(int64_t texts, int64_t before, int64_t step,
                                        const RunConfig& config) {
  if (texts == 0 || before > 0) return;
  log_warning(texts, " texts of update ", step, " are longer than ",
              config.tasks() > 1 ? "its task's '" : "'",
              config.tasks() > 1 ? "<method>" : config.options.method,
              ".max_length' and were cut; metric 'truncated' counts them");
}

std::string describe_non_finite(const char* what, int64_t step, double lr, const data::Batch& batch,
                                const methods::Views& views, const RunConfig& config,
                                const std::vector<methods::Parameter>& parameters) {
  const std::string culprit = optim::first_bad_tensor(parameters);
  return cat("the ", what, " of update ", step, " is not finite (learning rate ", lr,
             temperature_of(config.task(static_cast<size_t>(batch.task))), ", ", magnitudes(views),
             ", ", config.tasks() > 1 ? cat("task ", batch.task + 1, ", ") : std::string(),
             "examples ", first_examples(batch), "); the first bad tensor is ",
             culprit.empty() ? "none: weights and gradients are finite, but large after updates "
                               "with a high lr, or this batch is odd"
                             : culprit);
}

}  // namespace contrastive::run
