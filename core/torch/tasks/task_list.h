// The evaluation tasks that train: fine-tuning (glue), classifiers on frozen embeddings (transfer),
// a regression on them (sts-supervised). They are tasks like those of core/eval, in its namespace,
// but they compute with LibTorch and so belong to the training plugin.
#pragma once

#include <string_view>

#include "core/eval/task.h"

namespace contrastive::eval {

extern const Task kGlueTask, kTransferTask, kSupervisedStsTask;

// Null if no task here has this name. core/eval/evaluate.cpp lists the same names.
const Task* find_training_task(std::string_view name);

}  // namespace contrastive::eval
