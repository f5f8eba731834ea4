#include "core/eval/sts/sts_study.h"

#include <cmath>

#include "core/base/log.h"
#include "core/eval/figures.h"
#include "core/eval/sts/sts.h"

namespace contrastive::eval {

std::vector<StsSuiteReport> study_sts(const model::SentenceEncoder& model,
                                      const std::vector<StsSet>& sets,
                                      const model::EncodeOptions& options,
                                      const std::vector<model::PoolingVariant>& variants,
                                      const StsKeys& keys) {
  const auto count = static_cast<int64_t>(variants.size());
  model::EncodeOptions first = options;
  first.pooling = variants[0].pooling.empty() ? options.pooling : variants[0].pooling;
  const TextEncoder encoder{model.dimension(first) * count,
                            [&](const std::vector<std::string_view>& texts, float* embeddings) {
                              model.encode_variants(texts, options, variants, embeddings);
                            }};
  std::vector<StsSuiteReport> reports;
  for (const SubsetScores& scores :
       score_sts(sets, encoder, count, metric_for(keys.similarity, model))) {
    reports.push_back(correlate_sts_sets(sets, scores));
    if (!std::isnan(reports.back().average.at(keys.aggregate).spearman)) continue;
    const model::PoolingVariant& variant = variants[reports.size() - 1];
    log_warning(
        variant.pooling.empty() ? "the model's pooling" : variant.pooling, " without ",
        variant.exclude_ids.size(),
        " tokens: no correlation (its similarities or the scores are constant or not finite)");
  }
  return reports;
}

Json headline_list(const std::vector<StsSuiteReport>& reports, StsAggregate aggregate,
                   double Correlation::* which, int64_t set) {
  Json list = Json::array();
  for (const StsSuiteReport& report : reports) {
    const StsReport& figures =
        set < 0 ? report.average : report.sets[static_cast<size_t>(set)].second;
    list.push_back(number_or_null(figures.at(aggregate).*which));
  }
  return list;
}

int64_t best_headline(const std::vector<StsSuiteReport>& reports, StsAggregate aggregate) {
  int64_t best = -1;
  double highest = 0;
  for (size_t i = 0; i < reports.size(); ++i) {
    const double figure = reports[i].average.at(aggregate).spearman;
    if (std::isnan(figure) || (best >= 0 && figure <= highest)) continue;
    best = static_cast<int64_t>(i);
    highest = figure;
  }
  return best;
}

}  // namespace contrastive::eval
