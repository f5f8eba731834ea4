// Computes the figures of a GLUE task from a classifier's outputs.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "core/torch/tasks/glue/glue_options.h"

namespace contrastive::eval {

struct GlueFigures {
  std::vector<std::pair<std::string, double>>
      values;        // "matthews"; "accuracy" and "f1"; "accuracy_matched" ...
  double score = 0;  // averaged over tasks; NaN if a figure is not defined
  // False if the score is NaN, or if Matthews' correlation is 0 because predictions or labels are
  // all equal: then it says nothing about the model.
  bool defined = true;

  double select() const;  // the score for selection; NaN if it is not defined
};

// `outputs`: one [examples, outputs] for each set. The predicted class is the largest logit (the
// first among equals); for a regression the output is the score.
GlueFigures glue_figures(const GlueDefinition& definition, const std::vector<GlueSet>& sets,
                         const std::vector<at::Tensor>& outputs, MnliScore mnli);

// The same names, with NaN for every figure.
GlueFigures undefined_figures(const GlueDefinition& definition, MnliScore mnli);

}  // namespace contrastive::eval
