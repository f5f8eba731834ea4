#include "core/torch/tasks/glue/glue_figures.h"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>

#include "core/eval/classification_metrics.h"
#include "core/eval/correlation.h"
#include "core/eval/undefined.h"

namespace contrastive::eval {
namespace {

std::vector<double> scores_of(const at::Tensor& outputs) {
  const at::Tensor rows = outputs.to(at::kCPU, at::kDouble).contiguous();
  return {rows.const_data_ptr<double>(), rows.const_data_ptr<double>() + rows.numel()};
}

std::vector<int64_t> classes_of(const at::Tensor& outputs) {
  const std::vector<double> logits = scores_of(outputs);
  const int64_t width = outputs.size(1);
  std::vector<int64_t> classes;
  for (auto row = logits.begin(); row != logits.end(); row += width)
    classes.push_back(std::max_element(row, row + width) - row);
  return classes;
}

bool all_alike(const std::vector<int64_t>& classes) {
  return std::all_of(classes.begin(), classes.end(),
                     [&](int64_t each) { return each == classes.front(); });
}

GlueFigures figures_of_set(const GlueDefinition& definition, const GlueSet& set,
                           const at::Tensor& outputs) {
  TORCH_CHECK(outputs.size(0) == set.size() && outputs.size(1) == definition.outputs(),
              "one row of outputs for each example");
  if (definition.metric == GlueMetric::kCorrelations) {
    const std::vector<double> scores = scores_of(outputs);
    const double r = pearson(scores, set.targets), rho = spearman(scores, set.targets);
    return {{{"pearson", r}, {"spearman", rho}}, (r + rho) / 2, !std::isnan(r) && !std::isnan(rho)};
  }
  const std::vector<int64_t> predicted = classes_of(outputs),
                             gold(set.targets.begin(), set.targets.end());
  if (definition.metric == GlueMetric::kMatthews) {
    const double figure = matthews(predicted, gold);
    return {{{"matthews", figure}}, figure, !all_alike(predicted) && !all_alike(gold)};
  }
  const double share = accuracy(predicted, gold);
  if (definition.metric == GlueMetric::kAccuracy) return {{{"accuracy", share}}, share};
  const double f1 = f1_score(predicted, gold);
  return {{{"accuracy", share}, {"f1", f1}}, (share + f1) / 2};
}

}  // namespace

double GlueFigures::select() const { return defined ? score : kUndefined; }

GlueFigures glue_figures(const GlueDefinition& definition, const std::vector<GlueSet>& sets,
                         const std::vector<at::Tensor>& outputs, MnliScore mnli) {
  TORCH_CHECK(sets.size() == outputs.size() && sets.size() == definition.dev_names.size(),
              "outputs for each set");
  if (sets.size() == 1) return figures_of_set(definition, sets[0], outputs[0]);
  GlueFigures all;
  for (size_t i = 0; i < sets.size(); ++i) {
    const GlueFigures one = figures_of_set(definition, sets[i], outputs[i]);
    for (const auto& [name, value] : one.values)
      all.values.emplace_back(name + definition.dev_names[i], value);
    if (i == 0 || mnli == MnliScore::kMean) all.score += one.score;
  }
  if (mnli == MnliScore::kMean) all.score /= static_cast<double>(sets.size());
  return all;
}

GlueFigures undefined_figures(const GlueDefinition& definition, MnliScore mnli) {
  // All of them are NaN of no examples.
  const size_t sets = definition.dev_names.size();
  return glue_figures(definition, std::vector<GlueSet>(sets),
                      std::vector<at::Tensor>(sets, at::empty({0, definition.outputs()})), mnli);
}

}  // namespace contrastive::eval
