// What an evaluation task is to the rest: a name, its config keys, and a function from a model and
// a config to figures. A task is one file that defines one of these, and one line in evaluate.cpp;
// one that trains (core/torch/tasks) has its line in core/torch/plugin as well.
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
  // `config` holds keys of `describe` only. Figures are numbers, null where one is not defined;
  // nested objects group them, and a list holds one object for each text or pair.
  Json (*run)(const model::SentenceEncoder& model, const Config& config, const Cancel* cancel);
  Json (*describe)(const std::string& prefix);  // rows of cs_config_describe
  // Reads the keys, each behind `prefix`, and nothing else; kArgument names a bad one.
  void (*check)(const Config& config, const std::string& prefix);
  // A report of run() with null, or any number, for every figure that tells models apart: which
  // figures there will be, before there is a model; lists that get longer with the model are empty.
  // Reads the data as run() does: errors are those that run() would end with for these keys and
  // files.
  Json (*outline)(const Config& config);
};

// A task whose keys are those of `Options`.
template <class Options>
constexpr Task make_task(const char* name, const char* summary,
                         Json (*run)(const model::SentenceEncoder&, const Config&, const Cancel*),
                         Json (*outline)(const Config&)) {
  return {name,
          summary,
          run,
          [](const std::string& prefix) { return describe_options<Options>(prefix); },
          [](const Config& config, const std::string& prefix) {
            read_options<Options>(config, prefix);
          },
          outline};
}

extern const Task kStsTask, kStsLayersTask, kStsTokensTask, kRetrievalTask, kPairsTask,
    kTripletsTask, kParaphrasesTask, kGeometryTask, kTsneTask;

// Called by the part that computes with LibTorch once it is loaded: glue, transfer, sts-supervised.
// The array stays where it is.
constexpr size_t kTrainingTaskCount = 3;
void provide_training_tasks(const Task* const (&tasks)[kTrainingTaskCount]) noexcept;

}  // namespace contrastive::eval
