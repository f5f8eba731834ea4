#include "core/torch/tasks/task_list.h"

#include "core/torch/tasks/training_tasks.h"

namespace contrastive::eval {

#define DECLARE(name, noun) Task noun##_task();
#define FIND(task_name, noun)                \
  if (name == task_name) {                   \
    static const Task kTask = noun##_task(); \
    return &kTask;                           \
  }

CONTRASTIVE_TRAINING_TASKS(DECLARE)

const Task* find_training_task(std::string_view name) {
  CONTRASTIVE_TRAINING_TASKS(FIND)
  return nullptr;
}

#undef DECLARE
#undef FIND

}  // namespace contrastive::eval
