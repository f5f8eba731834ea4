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

struct TaskEntry {
  const char* name;
  const Task* task;  // null: the training plugin has the task of this name
};

// The list of tasks: a new task is its file and its line here.
constexpr TaskEntry kTasks[] = {
    {"sts", &kStsTask},
    {"sts-layers", &kStsLayersTask},
    {"sts-tokens", &kStsTokensTask},
    {"retrieval", &kRetrievalTask},
    {"reranking", &kRerankingTask},
    {"pairs", &kPairsTask},
    {"triplets", &kTripletsTask},
    {"paraphrases", &kParaphrasesTask},
    {"geometry", &kGeometryTask},
    {"tsne", &kTsneTask},
    {"glue", nullptr},
    {"transfer", nullptr},
    {"sts-supervised", nullptr},
};

const TaskEntry* find_entry(const std::string& name) {
  const auto* const entry =
      std::find_if(std::begin(kTasks), std::end(kTasks),
                   [&](const TaskEntry& candidate) { return name == candidate.name; });
  return entry != std::end(kTasks) ? entry : nullptr;
}

const Task& find_task(const std::string& name) {
  const TaskEntry* const entry = find_entry(name);
  if (entry == nullptr) fail(Status::kArgument, unknown_name("task", name, task_names()));
  if (entry->task != nullptr) return *entry->task;
  const Task* const task = runtime::need_torch_plugin(cat("task ", name)).find_task(name);
  check(task != nullptr, Status::kInternal, "the training plugin has no task '", name, "'");
  return *task;
}

}  // namespace

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const TaskEntry& entry : kTasks) names.emplace_back(entry.name);
  return names;
}

bool is_training_task(const std::string& task) {
  const TaskEntry* const entry = find_entry(task);
  return entry != nullptr && entry->task == nullptr;
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

Json evaluate(const model::CrossEncoder& model, const std::string& task, const Config& config,
              const Cancel* cancel) {
  const Task& found = find_task(task);
  if (found.run_reranker == nullptr) {
    std::vector<std::string> possible;
    for (const TaskEntry& other : kTasks) {
      if (other.task != nullptr && other.task->run_reranker != nullptr)
        possible.emplace_back(other.name);
    }
    fail(Status::kArgument, cat("task ", task,
                                " measures embeddings, and the model is a reranker, "
                                "which scores pairs of texts: the tasks for rerankers are ",
                                joined_names(possible)));
  }
  reject_unknown_keys(config, found.describe(""));
  return found.run_reranker(model, config, cancel);
}

}  // namespace contrastive::eval
