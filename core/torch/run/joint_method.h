// Combines the methods of a run with several tasks into one: they share the trained encoder, and
// each computes the batches of its task (data::Batch::task).
#pragma once

#include <memory>
#include <vector>

#include "core/torch/methods/method.h"
#include "core/torch/run/train_options.h"

namespace contrastive::run {

struct TaskMethod {
  std::unique_ptr<methods::EncoderMethod> method;
  double weight = 1;  // of its loss
};

// The encoder and the saved model are the first task's. A further task's own parameters have names
// under "task2.", and change only in its updates. The loss has the term "task2", without the
// weight, and if the method has several terms, also "task2.<term>". prepare() gives each method its
// own dataset, one of the parts() of the run's dataset.
std::unique_ptr<methods::Method> join_methods(std::vector<TaskMethod> tasks);

// Makes the method of a run: the one that its config names, or the joint method of its tasks.
// `context` is that of the first task. This function sets the config of each task and the shared
// encoder in it.
std::unique_ptr<methods::Method> make_method(const RunConfig& run, methods::MethodContext context);

}  // namespace contrastive::run
