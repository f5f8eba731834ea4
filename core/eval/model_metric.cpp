#include "core/eval/model_metric.h"

#include "core/base/error.h"

namespace contrastive::eval {

const std::vector<std::pair<std::string, ChosenMetric>>& metric_choices() {
  static const std::vector<std::pair<std::string, ChosenMetric>> kChoices = [] {
    std::vector<std::pair<std::string, ChosenMetric>> choices = {{"model", ChosenMetric::kModel}};
    for (const auto& [name, metric] : retrieval::metric_names())
      choices.emplace_back(name, static_cast<ChosenMetric>(metric));
    return choices;
  }();
  return kChoices;
}

retrieval::Metric metric_for(ChosenMetric chosen, const model::SentenceEncoder& model) {
  if (chosen != ChosenMetric::kModel) return static_cast<retrieval::Metric>(chosen);
  for (const auto& [name, metric] : retrieval::metric_names()) {
    if (name == model.folder().similarity) return metric;
  }
  fail(Status::kInternal, "the model's similarity is '", model.folder().similarity, "'");
}

}  // namespace contrastive::eval
