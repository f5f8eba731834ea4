#include "core/eval/evaluate.h"

#include <algorithm>
#include <iterator>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/eval/figures.h"
#include "core/eval/task.h"
#include "core/runtime/torch_plugin.h"

namespace contrastive::eval {
namespace {

// The list of tasks: a new one is its file and its line here.
const Task* const kTasks[] = {
    &kStsTask,      &kStsLayersTask,   &kStsTokensTask, &kRetrievalTask, &kPairsTask,
    &kTripletsTask, &kParaphrasesTask, &kGeometryTask,  &kTsneTask,
};

// Those that train, which come with the part that computes with LibTorch.
constexpr const char* kTrainingTasks[kTrainingTaskCount] = {"glue", "transfer", "sts-supervised"};
const Task* const* provided = nullptr;

const Task& find_task(const std::string& name) {
  for (const Task* task : kTasks) {
    if (name == task->name) return *task;
  }
  for (size_t i = 0; i < std::size(kTrainingTasks); ++i) {
    if (name != kTrainingTasks[i]) continue;
    runtime::need_torch_plugin(cat("task ", name));
    return *provided[i];
  }
  fail(Status::kArgument, unknown_name("task", name, task_names()));
}

}  // namespace

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const Task* task : kTasks) names.emplace_back(task->name);
  names.insert(names.end(), std::begin(kTrainingTasks), std::end(kTrainingTasks));
  return names;
}

bool is_training_task(const std::string& task) {
  return std::find(std::begin(kTrainingTasks), std::end(kTrainingTasks), task) !=
         std::end(kTrainingTasks);
}

void provide_training_tasks(const Task* const (&tasks)[kTrainingTaskCount]) noexcept {
  provided = tasks;
}

Json describe_task(const std::string& task, const std::string& prefix) {
  return find_task(task).describe(prefix);
}

void check_task(const std::string& task, const Config& config, const std::string& prefix) {
  const Task& found = find_task(task);
  Config own;
  for (const std::string& key : config.keys()) {
    if (key.rfind(prefix, 0) == 0) own.set_json(key, *config.find(key));
  }
  reject_unknown_keys(own, found.describe(prefix));
  found.check(own, prefix);
}

Json outline_of_task(const std::string& task, const Config& config) {
  const Task& found = find_task(task);
  reject_unknown_keys(config, found.describe(""));
  return found.outline(config);
}

std::vector<std::string> figures_of_task(const std::string& task, const Config& config) {
  return figure_names(outline_of_task(task, config));
}

Json evaluate(const model::SentenceEncoder& model, const std::string& task, const Config& config,
              const Cancel* cancel) {
  const Task& found = find_task(task);
  reject_unknown_keys(config, found.describe(""));
  return found.run(model, config, cancel);
}

}  // namespace contrastive::eval
