// Finds the evaluation tasks that train. They are tasks like those of core/eval, in its namespace,
// but they compute with LibTorch and so belong to the training plugin.
#pragma once

#include <string_view>

#include "core/eval/task.h"

namespace contrastive::eval {

// Null if no task of training_tasks.h has this name.
const Task* find_training_task(std::string_view name);

}  // namespace contrastive::eval
