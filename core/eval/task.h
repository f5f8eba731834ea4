// An evaluation task: its config keys, and functions that measure a model. core/eval/README.md says
// how to add one.
#pragma once

#include <string>

#include "core/base/cancel.h"
#include "core/base/config.h"
#include "core/base/options.h"
#include "core/model/cross_encoder.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::eval {

struct Task {
  // Measures `model` and returns the figures. `config` has only keys of `describe`. A figure is a
  // number, or null if it is not defined. Nested objects group figures, and a list holds one object
  // for each text or pair.
  Json (*run)(const model::SentenceEncoder& model, const Config& config, const Cancel* cancel);
  Json (*describe)(const std::string& prefix);  // rows of cs_config_describe
  // Checks the values of the keys that begin with `prefix`; kArgument names a bad one.
  void (*check)(const Config& config, const std::string& prefix);
  // Says before there is a model which figures run() will report: a report with null or any number
  // for every figure that differs between models. A list whose length depends on the model is
  // empty. Reads the data as run() does, with the same errors for these keys and files.
  Json (*outline)(const Config& config);
  // The same report as run() for a reranker; null where the task measures embeddings only.
  Json (*run_reranker)(const model::CrossEncoder& model, const Config& config,
                       const Cancel* cancel);
};

// Makes a task whose config keys are described by `Options`.
template <class Options>
constexpr Task make_task(Json (*run)(const model::SentenceEncoder&, const Config&, const Cancel*),
                         Json (*outline)(const Config&),
                         Json (*run_reranker)(const model::CrossEncoder&, const Config&,
                                              const Cancel*) = nullptr) {
  return {run, [](const std::string& prefix) { return describe_options<Options>(prefix); },
          [](const Config& config, const std::string& prefix) {
            read_options<Options>(config, prefix);
          },
          outline, run_reranker};
}

}  // namespace contrastive::eval
