// Evaluation tasks by name, on a model and a config: what cs_evaluate, cs_evaluate_outline and
// `contrastive eval` run.
#pragma once

#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/config.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::eval {

// Runs `task` and returns its figures. kArgument for an unknown task (with the nearest name), an
// unknown key or a value out of range; which keys and figures a task has stands in its own file.
Json evaluate(const model::SentenceEncoder& model, const std::string& task, const Config& config,
              const Cancel* cancel);

// All that can be found wrong without a model in the keys of `task` that stand in `config` behind
// `prefix`; other keys are not looked at.
void check_task(const std::string& task, const Config& config, const std::string& prefix);

// What run() of `task` will report with these keys, before there is a model: see Task::outline
// (task.h).
Json outline_of_task(const std::string& task, const Config& config);

// The figures that tell models apart in the report of `task` with these keys, by their paths
// (figures.h): known before there is a model. Reads the data where their names depend on it; errors
// are those that evaluate() would end with for these keys and files.
std::vector<std::string> figures_of_task(const std::string& task, const Config& config);

std::vector<std::string> task_names();
// Whether the task trains, and so needs the part that computes with LibTorch: whatever is asked of
// it loads that part (core/runtime/torch_plugin.h).
bool is_training_task(const std::string& task);
// The keys of one task (kArgument when unknown), each behind `prefix`, as rows of
// `cs_config_describe`.
Json describe_task(const std::string& task, const std::string& prefix = "");

}  // namespace contrastive::eval
