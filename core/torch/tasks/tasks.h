// The evaluation tasks that train: fine-tuning (glue), classifiers on frozen embeddings (transfer),
// a regression on them (sts-supervised). They are tasks like those of core/eval, in its namespace,
// but compute with LibTorch and so belong to the part that is loaded on demand.
#pragma once

#include "core/eval/task.h"

namespace contrastive::eval {

extern const Task kGlueTask, kTransferTask, kSupervisedStsTask;

}  // namespace contrastive::eval
