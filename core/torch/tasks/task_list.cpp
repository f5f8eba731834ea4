#include "core/torch/tasks/task_list.h"

namespace contrastive::eval {
namespace {

struct TrainingTask {
  std::string_view name;
  const Task* task;
};

constexpr TrainingTask kTrainingTasks[] = {
    {"glue", &kGlueTask},
    {"transfer", &kTransferTask},
    {"sts-supervised", &kSupervisedStsTask},
};

}  // namespace

const Task* find_training_task(std::string_view name) {
  for (const TrainingTask& entry : kTrainingTasks) {
    if (entry.name == name) return entry.task;
  }
  return nullptr;
}

}  // namespace contrastive::eval
