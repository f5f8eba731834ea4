// Runs evaluation tasks by name, for cs_evaluate, cs_evaluate_outline and `contrastive eval`.
#pragma once

#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/config.h"
#include "core/model/cross_encoder.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::eval {

// Runs `task` and returns its figures. kArgument for an unknown task (with the nearest name), an
// unknown key or a value out of range. The file of a task defines its keys and figures.
Json evaluate(const model::SentenceEncoder& model, const std::string& task, const Config& config,
              const Cancel* cancel);
// The same for a reranker; kArgument for a task that measures embeddings.
Json evaluate(const model::CrossEncoder& model, const std::string& task, const Config& config,
              const Cancel* cancel);

// Checks the keys of `task` in `config`, which begin with `prefix`, as far as that is possible
// without a model. Ignores other keys.
void check_task(const std::string& task, const Config& config, const std::string& prefix);

// Says before there is a model what `task` will report with these keys: see Task::outline (task.h).
Json outline_of_task(const std::string& task, const Config& config);

// The paths (figures.h) of the figures that differ between models in the report of `task` with
// these keys. Needs no model. Reads the data if the names depend on it, with the errors that
// evaluate() would have for these keys and files.
std::vector<std::string> figures_of_task(const std::string& task, const Config& config);

std::vector<std::string> task_names();
// True if the task trains, so that every other function here loads the training plugin for it
// (core/runtime/torch_plugin.h).
bool is_training_task(const std::string& task);
// The keys of one task, each with `prefix` before it, as rows of `cs_config_describe`; kArgument if
// there is no such task.
Json describe_task(const std::string& task, const std::string& prefix = "");

}  // namespace contrastive::eval
