// The methods of a run with several tasks as one: they share the encoder that they train, and each
// computes the batches of its task (data::Batch::task).
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

// What is embedded with and delivered is the first task's. The parameters that a further task adds
// to the shared ones are its own under "task2.": they move in its updates only. The loss has the
// terms "task2", without the weight, and where the method has more than one "task2.<term>".
// prepare() gives each method its own dataset, one of the parts() of the run's.
std::unique_ptr<methods::Method> join_methods(std::vector<TaskMethod> tasks);

// The method of a run: the one that its config names, or all of its tasks'. `context`: of the
// first; what is shared, and each config, is set here.
std::unique_ptr<methods::Method> make_method(const RunConfig& run, methods::MethodContext context);

}  // namespace contrastive::run
