#include "core/train/run_inputs.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/named_by_key.h"
#include "core/base/nearest.h"
#include "core/data/derived_dataset.h"
#include "core/train/task_evaluations.h"
#include "core/train/update_source.h"

namespace contrastive::train {
namespace {

// What the method needs of every example, looked up in the first: a dataset holds one kind.
void check_examples(const RunConfig& config, const data::Dataset& data) {
  check(data.size() > 0, Status::kArgument, "the dataset has no examples");
  const methods::MethodTraits& traits = config.traits;
  const data::Example first = data.get(0);
  const std::string why = cat(traits.needed_by, traits.needed_by.empty() ? "" : ": ", "method '", config.options.method, "' trains on ",
                              traits.needs_labels ? "labelled " : "");
  check(!traits.needs_pairs || first.has_b, Status::kArgument, why,
        "pairs, but the dataset's first example has one text only: give two, as columns of a TSV or JSONL file");
  const bool labelled = !std::isnan(first.label) || (traits.scores && !first.scores.empty());
  check(!traits.needs_labels || labelled, Status::kArgument, why, traits.needs_pairs ? "pairs" : "examples",
        ", but the dataset's first one has no label: name its column last in data.columns",
        traits.scores ? ", or the columns of a teacher's scores in data.scores" : "");
}

std::shared_ptr<const data::Dataset> chosen_examples(const TrainOptions& options, std::shared_ptr<const data::Dataset> data) {
  if (options.few_shot == 0) return data;
  return data::seeded_subset(std::move(data), options.few_shot, static_cast<uint64_t>(options.seed), options.upsample);
}

// A misspelt figure would otherwise show at the first evaluation, after hours perhaps.
void check_selection(const TrainOptions& options, const std::vector<std::string>& figures) {
  if (options.dev_select == TrainOptions::kDevFile) return;
  const bool known = std::find(figures.begin(), figures.end(), options.dev_select) != figures.end();
  check(known, Status::kArgument, "config key 'dev_select': ", unknown_name("figure", options.dev_select, figures));
}

}  // namespace

RunInputs open_inputs(const RunConfig& config, std::shared_ptr<const data::Dataset> data) {
  const TrainOptions& options = config.options;
  RunInputs inputs;
  if (data != nullptr) {
    check_examples(config, *data);
    inputs.idle_negatives = !config.traits.hard_negatives && !data->get(0).negatives.empty();
    if (config.traits.separates_pairs) data = data::separate_texts(std::move(data));
    inputs.given = data->size();
    inputs.data = chosen_examples(options, std::move(data));
    // What becomes of arranged examples is seen once the method has arranged them.
    if (!config.traits.arranges_examples) plan_run(config, batches_per_epoch(*inputs.data, options));
  }
  if (!options.dev.empty()) {
    inputs.dev = named_by_key("dev", [&] { return open_dev_set(options.dev, options.dev_task); });
  }
  const TaskEvaluations tasks(config.user);
  tasks.check_files();
  check_selection(options, tasks.figures());
  return inputs;
}

}  // namespace contrastive::train
