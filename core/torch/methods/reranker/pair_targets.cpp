#include "core/torch/methods/reranker/pair_targets.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace contrastive::methods {
namespace {

using Where = std::function<std::string()>;

// The scores of the texts, otherwise the label of text b and 0 for each negative. Without scores
// and a label, text b is right if there is a negative.
std::vector<double> labels_of(const data::Example& example, const Where& where) {
  if (!example.scores.empty()) return example.scores;
  std::vector<double> labels(1 + example.negatives.size(), 0.0);
  labels[0] = example.label;
  if (!std::isnan(example.label)) return labels;
  if (example.negatives.empty()) {
    fail(Status::kArgument, where(),
         ": a pair with neither a label nor hard negatives, of which nothing can be learnt: name "
         "the label last in ",
         "data.columns, or columns of hard negatives in data.negatives");
  }
  labels[0] = 1;
  return labels;
}

std::vector<double> binary_targets(const data::Example& example, const Where& where) {
  std::vector<double> labels = labels_of(example, where);
  for (const double label : labels) {
    if (label >= 0 && label <= 1) continue;
    fail(Status::kArgument, where(), ": the label is ", label,
         ", but reranker.loss = binary takes labels from 0 to 1: divide them by the largest, or ",
         "take reranker.loss = distillation for the scores of a teacher");
  }
  return labels;
}

std::vector<double> class_targets(const data::Example& example, int64_t labels,
                                  const Where& where) {
  if (!example.negatives.empty())
    fail(Status::kArgument, where(),
         ": hard negatives, but reranker.loss = classes takes pairs with a class each");
  const double label = example.label;
  if (!(label >= 0 && label < static_cast<double>(labels) && label == std::floor(label))) {
    fail(Status::kArgument, where(), ": the label is ", label,
         ", but the classes of the reranker are numbered from 0 to ", labels - 1);
  }
  return {label};
}

std::vector<double> list_targets(const data::Example& example, RerankerLoss loss,
                                 const Where& where) {
  std::vector<double> labels = labels_of(example, where);
  for (const double label : labels) {
    if (!std::isfinite(label))
      fail(Status::kArgument, where(), ": the label is ", label,
           ", which cannot be compared with others");
    if (label < 0 && loss != RerankerLoss::kListNet) {
      fail(Status::kArgument, where(), ": the label is ", label,
           ", but this reranker.loss takes no labels below 0: take listnet");
    }
  }
  if (loss == RerankerLoss::kListwise && *std::max_element(labels.begin(), labels.end()) <= 0) {
    fail(Status::kArgument, where(),
         ": no text of the list has a label above 0, so none is to be the highest");
  }
  return labels;
}

std::vector<double> teacher_targets(const data::Example& example, RerankerLoss loss,
                                    const Where& where) {
  if (!example.scores.empty()) return example.scores;
  const bool margin = loss == RerankerLoss::kMarginDistillation;
  // The label of a triplet is the teacher's difference between its two texts, as in
  // sentence-transformers.
  if (margin && example.negatives.size() == 1 && std::isfinite(example.label))
    return {example.label, 0};
  if (!margin && example.negatives.empty() && std::isfinite(example.label)) return {example.label};
  fail(Status::kArgument, where(), ": no scores of a teacher for its ",
       1 + example.negatives.size(), example.negatives.empty() ? " text" : " texts",
       ": name their columns in data.scores",
       margin ? ", or the difference of two last in data.columns"
              : ", or that of a pair last in data.columns",
       ", or a reranker in reranker.teacher");
}

}  // namespace

std::vector<double> pair_targets(const data::Example& example, const RerankerOptions& options,
                                 int64_t labels, const Where& where) {
  if (!example.scores.empty() && example.scores.size() != example.negatives.size() + 1) {
    fail(Status::kArgument, where(), ": ", example.scores.size(), " scores for ",
         example.negatives.size() + 1, " texts: text b and each hard negative need one");
  }
  switch (options.loss) {
    case RerankerLoss::kBinary: return binary_targets(example, where);
    case RerankerLoss::kClasses: return class_targets(example, labels, where);
    case RerankerLoss::kListwise:
    case RerankerLoss::kListNet:
    case RerankerLoss::kLambda: return list_targets(example, options.loss, where);
    case RerankerLoss::kDistillation:
    case RerankerLoss::kMarginDistillation:
      return options.teacher.empty() ? teacher_targets(example, options.loss, where)
                                     : std::vector<double>();
  }
  fail(Status::kInternal, "an unknown loss of rerankers");
}

}  // namespace contrastive::methods
