#include "core/eval/retrieval/retrieval_metrics.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace contrastive::eval {
namespace {

double discount(int64_t rank) { return 1 / std::log2(static_cast<double>(rank) + 1); }

// The largest sum of discounted grades that any order of this query's documents reaches among the
// first k.
double ideal_gain(const Judgements& judged, int64_t k) {
  std::vector<double> grades;
  for (const auto& [id, grade] : judged) grades.push_back(grade);
  std::sort(grades.rbegin(), grades.rend());
  double sum = 0;
  for (int64_t rank = 1; rank <= std::min(k, static_cast<int64_t>(grades.size())); ++rank)
    sum += grades[rank - 1] * discount(rank);
  return sum;
}

constexpr double MetricsAtK::* kFigures[] = {&MetricsAtK::accuracy, &MetricsAtK::precision,
                                             &MetricsAtK::recall,   &MetricsAtK::mrr,
                                             &MetricsAtK::ndcg,     &MetricsAtK::map};

}  // namespace

MetricsAtK retrieval_metrics_of(const std::vector<int64_t>& ranked, const Judgements& judged,
                                int64_t k) {
  MetricsAtK result;
  result.k = k;
  double found = 0, gain = 0, precisions = 0;
  for (int64_t rank = 1; rank <= std::min(k, static_cast<int64_t>(ranked.size())); ++rank) {
    const auto judgement = judged.find(ranked[rank - 1]);
    if (judgement == judged.end()) continue;
    found += 1;
    gain += judgement->second * discount(rank);
    precisions += found / static_cast<double>(rank);
    if (result.mrr == 0) result.mrr = 1 / static_cast<double>(rank);
  }
  const double relevant = static_cast<double>(judged.size());
  result.accuracy = found > 0 ? 1 : 0;
  result.precision = found / static_cast<double>(k);
  result.recall = found / relevant;
  result.ndcg = gain / ideal_gain(judged, k);
  result.map = precisions / std::min(static_cast<double>(k), relevant);
  return result;
}

std::vector<MetricsAtK> retrieval_metrics(const std::vector<std::vector<int64_t>>& ranked,
                                          const std::vector<Judgements>& judged,
                                          const std::vector<int64_t>& ks) {
  check(ranked.size() == judged.size(), Status::kMismatch, "ranked lists of ", ranked.size(),
        " queries and judgements of ", judged.size());
  std::vector<MetricsAtK> results;
  for (int64_t k : ks) {
    check(k >= 1, Status::kArgument, "k is ", k, ": at least 1 is needed");
    MetricsAtK mean;
    mean.k = k;
    double queries = 0;
    for (size_t i = 0; i < ranked.size(); ++i) {
      if (judged[i].empty()) continue;
      const MetricsAtK one = retrieval_metrics_of(ranked[i], judged[i], k);
      for (const auto figure : kFigures) mean.*figure += one.*figure;
      queries += 1;
    }
    check(queries > 0, Status::kArgument, "no query has a relevant document");
    for (const auto figure : kFigures) mean.*figure /= queries;
    results.push_back(mean);
  }
  return results;
}

}  // namespace contrastive::eval
