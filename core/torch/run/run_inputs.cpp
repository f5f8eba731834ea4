#include "core/torch/run/run_inputs.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/named_by_key.h"
#include "core/base/nearest.h"
#include "core/data/derived_dataset.h"
#include "core/data/joined_dataset.h"
#include "core/torch/run/task_evaluations.h"
#include "core/torch/run/tasks.h"
#include "core/torch/run/update_source.h"

namespace contrastive::run {
namespace {

// Checks in the first example what the method needs, because a dataset has examples of one kind.
void check_examples(const RunConfig& config, const data::Dataset& data) {
  check(data.size() > 0, Status::kArgument, "the dataset has no examples");
  const methods::MethodTraits& traits = config.traits;
  const data::Example first = data.get(0);
  const std::string why =
      cat(traits.needed_by, traits.needed_by.empty() ? "" : ": ", "method '", config.options.method,
          "' trains on ", traits.needs_labels ? "labelled " : "");
  check(!traits.needs_pairs || first.has_b, Status::kArgument, why,
        "pairs, but the dataset's first example has one text only: give two, as columns of a TSV "
        "or JSONL file");
  const bool labelled = !std::isnan(first.label) || (traits.scores && !first.scores.empty());
  check(!traits.needs_labels || labelled, Status::kArgument, why,
        traits.needs_pairs ? "pairs" : "examples",
        ", but the dataset's first one has no label: name its column last in data.columns",
        traits.scores ? ", or the columns of a teacher's scores in data.scores" : "");
}

// Methods that do not use labels read a list of documents with labels as a pair and its hard
// negatives, so the right document must be the first.
void check_order(const RunConfig& config, const data::Dataset& data) {
  if (config.traits.scores || !config.traits.hard_negatives || data.get(0).scores.empty()) return;
  const int64_t looked_at = std::min<int64_t>(1024, data.size());
  for (int64_t i = 0; i < looked_at; ++i) {
    const std::vector<double> scores = data.get(i).scores;
    const bool first =
        scores.empty() || *std::max_element(scores.begin(), scores.end()) <= scores.front();
    check(first, Status::kArgument, "example ", i + 1,
          ": a document behind the first has a higher label, but method '", config.options.method,
          "' takes the first for the right one and reads no labels: put the right one first, or "
          "take method reranker");
  }
}

std::shared_ptr<const data::Dataset> chosen_examples(const TrainOptions& options,
                                                     std::shared_ptr<const data::Dataset> data) {
  if (options.few_shot == 0) return data;
  return data::seeded_subset(std::move(data), options.few_shot, static_cast<uint64_t>(options.seed),
                             options.upsample);
}

// Otherwise a misspelt figure would fail only at the first evaluation, perhaps after hours.
void check_selection(const TrainOptions& options, const std::vector<std::string>& figures) {
  if (options.dev_select == TrainOptions::kDevFile) return;
  const bool known = std::find(figures.begin(), figures.end(), options.dev_select) != figures.end();
  check(known, Status::kArgument,
        "config key 'dev_select': ", unknown_name("figure", options.dev_select, figures));
}

TaskFacts open_task(const RunConfig& task, std::shared_ptr<const data::Dataset> data) {
  check_examples(task, *data);
  check_order(task, *data);
  TaskFacts facts;
  facts.idle_negatives = !task.traits.hard_negatives && !data->get(0).negatives.empty();
  if (task.traits.separates_pairs) data = data::separate_texts(std::move(data));
  facts.given = data->size();
  facts.data = chosen_examples(task.options, std::move(data));
  return facts;
}

// Opens the files of the tasks after the first. An error is prefixed with its key.
std::vector<TaskFacts> open_tasks(const RunConfig& config,
                                  std::shared_ptr<const data::Dataset> first) {
  std::vector<TaskFacts> tasks = {open_task(config, std::move(first))};
  for (size_t i = 1; i < config.tasks(); ++i) {
    const RunConfig& task = config.task(i);
    const auto data = named_by_key(prefix_of_part("task", i) + "dataset",
                                   [&] { return data::open_dataset(task.dataset, task.user); });
    tasks.push_back(of_task(config.user, i, [&] { return open_task(task, data); }));
  }
  return tasks;
}

std::shared_ptr<const data::Dataset> data_of(const std::vector<TaskFacts>& tasks) {
  if (tasks.size() == 1) return tasks.front().data;
  std::vector<std::shared_ptr<const data::Dataset>> all;
  for (const TaskFacts& task : tasks) all.push_back(task.data);
  return data::join_datasets(std::move(all));
}

}  // namespace

RunInputs open_inputs(const RunConfig& config, std::shared_ptr<const data::Dataset> data) {
  const TrainOptions& options = config.options;
  RunInputs inputs;
  inputs.tasks.resize(1);
  if (data != nullptr) {
    inputs.tasks = open_tasks(config, std::move(data));
    inputs.data = data_of(inputs.tasks);
    // The result for arranged examples is known only after the method has arranged them.
    if (!config.traits.arranges_examples)
      plan_run(config, batches_per_epoch(*inputs.data, options));
  }
  if (!options.dev.empty()) {
    inputs.dev = named_by_key("dev", [&] {
      return open_dev_set(options.dev, options.dev_task, config.traits.gives);
    });
  }
  const TaskEvaluations tasks(config.user);
  tasks.check_files();
  check_selection(options, tasks.figures());
  return inputs;
}

}  // namespace contrastive::run
