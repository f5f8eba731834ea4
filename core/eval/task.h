// What an evaluation task is to the rest: a name, its config keys, and a function from a model and a config to figures. A task is one file that
// defines one of these, and one line in evaluate.cpp.
#pragma once

#include <string>

#include "core/base/cancel.h"
#include "core/base/config.h"
#include "core/base/options.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::eval {

struct Task {
  const char* name;
  const char* summary;  // one line: what it measures
  // `config` holds keys of `describe` only. Figures are numbers, null where one is not defined; nested objects group
  // them, and a list holds one object for each text or pair.
  Json (*run)(const model::SentenceEncoder& model, const Config& config, const Cancel* cancel);
  Json (*describe)(const std::string& prefix);  // rows of cs_config_describe
  // Reads the task's keys, each behind `prefix`, and nothing else; kArgument names a bad one. Without it they are read when the task runs.
  void (*check)(const Config& config, const std::string& prefix) = nullptr;
};

template <class Options>
Json describe_task_options(const std::string& prefix) {
  return describe_options<Options>(prefix);
}

template <class Options>
void check_task_options(const Config& config, const std::string& prefix) {
  read_options<Options>(config, prefix);
}

inline Json number_or_null(double value) { return value == value ? Json(value) : Json(); }

extern const Task kStsTask, kStsLayersTask, kStsTokensTask, kRetrievalTask, kPairsTask, kTripletsTask, kParaphrasesTask,
    kGeometryTask, kTsneTask, kGlueTask, kTransferTask, kSupervisedStsTask;

}  // namespace contrastive::eval
