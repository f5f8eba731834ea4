// The list of evaluation tasks that train: core/torch/tasks/<noun>_task.cpp defines <noun>_task().
// The tasks are in the training plugin. libcontrastive.so includes this header for their names, so
// it includes nothing itself.
#pragma once

#define CONTRASTIVE_TRAINING_TASKS(TASK) \
  TASK("glue", glue)                     \
  TASK("transfer", transfer)             \
  TASK("sts-supervised", sts_supervised)
