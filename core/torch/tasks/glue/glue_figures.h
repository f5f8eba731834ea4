// From a classifier's outputs to what a GLUE task reports.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "core/torch/tasks/glue/glue_options.h"

namespace contrastive::eval {

struct GlueFigures {
  std::vector<std::pair<std::string, double>>
      values;           // "matthews"; "accuracy" and "f1"; "accuracy_matched" ...
  double score = 0;     // what is averaged over tasks; NaN where a figure is not defined
  bool defined = true;  // false where the score is NaN, or Matthews' 0 of predictions or labels
                        // that are all alike: it tells nothing of the model

  double select() const;  // the score, NaN where it is not defined: what selects
};

// `outputs`: one [examples, outputs] for each set. The predicted class is the largest logit (the
// first among equals); a regression gives its score.
GlueFigures glue_figures(const GlueDefinition& definition, const std::vector<GlueSet>& sets,
                         const std::vector<at::Tensor>& outputs, MnliScore mnli);

// The same names with NaN for every figure.
GlueFigures undefined_figures(const GlueDefinition& definition, MnliScore mnli);

}  // namespace contrastive::eval
