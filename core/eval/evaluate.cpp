#include "core/eval/evaluate.h"

#include <algorithm>
#include <iterator>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/eval/figures.h"
#include "core/eval/task.h"
#include "core/runtime/torch_plugin.h"
#include "core/torch/tasks/training_tasks.h"

// The list of tasks: core/eval/<noun>_task.cpp defines <noun>_task().
#define CONTRASTIVE_TASKS(TASK)    \
  TASK("sts", sts)                 \
  TASK("sts-layers", sts_layers)   \
  TASK("sts-tokens", sts_tokens)   \
  TASK("retrieval", retrieval)     \
  TASK("reranking", reranking)     \
  TASK("pairs", pairs)             \
  TASK("triplets", triplets)       \
  TASK("paraphrases", paraphrases) \
  TASK("geometry", geometry)       \
  TASK("tsne", tsne)

namespace contrastive::eval {

#define DECLARE(name, noun) Task noun##_task();
#define ENTRY(name, noun) {name, noun##_task},
#define TRAINING_ENTRY(name, noun) {name, nullptr},

CONTRASTIVE_TASKS(DECLARE)

namespace {

struct TaskEntry {
  const char* name;
  Task (*make)();  // null: the training plugin has the task of this name
};

constexpr TaskEntry kTasks[] = {CONTRASTIVE_TASKS(ENTRY)
                                    CONTRASTIVE_TRAINING_TASKS(TRAINING_ENTRY)};

#undef DECLARE
#undef ENTRY
#undef TRAINING_ENTRY
#undef CONTRASTIVE_TASKS

const TaskEntry* find_entry(const std::string& name) {
  const auto* const entry =
      std::find_if(std::begin(kTasks), std::end(kTasks),
                   [&](const TaskEntry& candidate) { return name == candidate.name; });
  return entry != std::end(kTasks) ? entry : nullptr;
}

Task find_task(const std::string& name) {
  const TaskEntry* const entry = find_entry(name);
  if (entry == nullptr) fail(Status::kArgument, unknown_name("task", name, task_names()));
  if (entry->make != nullptr) return entry->make();
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
  return entry != nullptr && entry->make == nullptr;
}

Json describe_task(const std::string& task, const std::string& prefix) {
  return find_task(task).describe(prefix);
}

void check_task(const std::string& task, const Config& config, const std::string& prefix) {
  const Task found = find_task(task);
  Config own;
  for (const std::string& key : config.keys()) {
    if (key.rfind(prefix, 0) == 0) own.set_json(key, *config.find(key));
  }
  reject_unknown_keys(own, found.describe(prefix));
  found.check(own, prefix);
}

Json outline_of_task(const std::string& task, const Config& config) {
  const Task found = find_task(task);
  reject_unknown_keys(config, found.describe(""));
  return found.outline(config);
}

std::vector<std::string> figures_of_task(const std::string& task, const Config& config) {
  return figure_names(outline_of_task(task, config));
}

Json evaluate(const model::SentenceEncoder& model, const std::string& task, const Config& config,
              const Cancel* cancel) {
  const Task found = find_task(task);
  reject_unknown_keys(config, found.describe(""));
  return found.run(model, config, cancel);
}

Json evaluate(const model::CrossEncoder& model, const std::string& task, const Config& config,
              const Cancel* cancel) {
  const Task found = find_task(task);
  if (found.run_reranker == nullptr) {
    std::vector<std::string> possible;
    for (const TaskEntry& other : kTasks) {
      if (other.make != nullptr && other.make().run_reranker != nullptr)
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
