#include "core/eval/retrieval/retrieval_metrics.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/retrieval/top_k.h"

namespace contrastive::eval {
namespace {

double discount(int64_t rank) { return 1 / std::log2(static_cast<double>(rank) + 1); }

// The sum of discounted grades that the best order of this query's documents reaches among the first k.
double ideal_gain(const Judgements& judged, int64_t k) {
  std::vector<double> grades;
  for (const auto& [id, grade] : judged) grades.push_back(grade);
  std::sort(grades.rbegin(), grades.rend());
  double sum = 0;
  for (int64_t rank = 1; rank <= std::min(k, static_cast<int64_t>(grades.size())); ++rank) sum += grades[rank - 1] * discount(rank);
  return sum;
}

constexpr double MetricsAtK::*kFigures[] = {&MetricsAtK::accuracy, &MetricsAtK::precision, &MetricsAtK::recall,
                                            &MetricsAtK::mrr,      &MetricsAtK::ndcg,      &MetricsAtK::map};

MetricsAtK of_one_query(const std::vector<int64_t>& ranked, const Judgements& judged, int64_t k) {
  MetricsAtK result;
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

}  // namespace

std::vector<MetricsAtK> retrieval_metrics(const std::vector<std::vector<int64_t>>& ranked, const std::vector<Judgements>& judged,
                                          const std::vector<int64_t>& ks) {
  check(ranked.size() == judged.size(), Status::kMismatch, "ranked lists of ", ranked.size(), " queries and judgements of ", judged.size());
  std::vector<MetricsAtK> results;
  for (int64_t k : ks) {
    check(k >= 1, Status::kArgument, "k is ", k, ": at least 1 is needed");
    MetricsAtK mean;
    mean.k = k;
    double queries = 0;
    for (size_t i = 0; i < ranked.size(); ++i) {
      if (judged[i].empty()) continue;
      const MetricsAtK one = of_one_query(ranked[i], judged[i], k);
      for (const auto figure : kFigures) mean.*figure += one.*figure;
      queries += 1;
    }
    check(queries > 0, Status::kArgument, "no query has a relevant document");
    for (const auto figure : kFigures) mean.*figure /= queries;
    results.push_back(mean);
  }
  return results;
}

RetrievalReport evaluate_retrieval(const RetrievalData& data, const TextEncoder& query_encoder, const TextEncoder& document_encoder,
                                   retrieval::Metric metric, const std::vector<int64_t>& ks, const Cancel* cancel) {
  check(!data.queries.empty() && !data.documents.empty() && !ks.empty(), Status::kArgument, "retrieval needs queries, documents and a list of k");
  check(query_encoder.dimension == document_encoder.dimension, Status::kMismatch, "queries have ", query_encoder.dimension, " dimensions, documents ",
        document_encoder.dimension);
  DistinctTexts queries, documents;
  std::vector<int64_t> query_rows;  // of each query among the distinct ones
  for (const std::string& text : data.queries) query_rows.push_back(queries.add(text));
  std::vector<float> corpus(data.documents.size() * document_encoder.dimension);
  document_encoder.encode({data.documents.begin(), data.documents.end()}, corpus.data());
  const std::vector<float> query_vectors = queries.encode(query_encoder);

  // One more where a hit may be left out.
  const int64_t wanted = *std::max_element(ks.begin(), ks.end()) + (data.ignored.empty() ? 0 : 1);
  retrieval::TopKOptions options{metric, std::min(wanted, static_cast<int64_t>(data.documents.size()))};
  options.cancel = cancel;
  std::vector<int64_t> indices(queries.size() * options.k);
  std::vector<float> scores(indices.size());
  retrieval::top_k(query_vectors.data(), queries.size(), corpus.data(), static_cast<int64_t>(data.documents.size()), document_encoder.dimension,
                   options, indices.data(), scores.data());
  std::vector<std::vector<int64_t>> ranked;
  for (size_t i = 0; i < query_rows.size(); ++i) {
    const auto begin = indices.begin() + query_rows[i] * options.k;
    auto& list = ranked.emplace_back(begin, begin + options.k);
    if (!data.ignored.empty() && data.ignored[i] >= 0) list.erase(std::remove(list.begin(), list.end(), data.ignored[i]), list.end());
  }
  return {static_cast<int64_t>(data.queries.size()), static_cast<int64_t>(data.documents.size()), retrieval_metrics(ranked, data.judged, ks)};
}

Json RetrievalReport::to_json() const {
  Json json = {{"queries", queries}, {"documents", documents}};
  for (const MetricsAtK& metrics : at) {
    const std::string suffix = cat("@", metrics.k);
    json["accuracy" + suffix] = metrics.accuracy;
    json["precision" + suffix] = metrics.precision;
    json["recall" + suffix] = metrics.recall;
    json["mrr" + suffix] = metrics.mrr;
    json["ndcg" + suffix] = metrics.ndcg;
    json["map" + suffix] = metrics.map;
  }
  return json;
}

}  // namespace contrastive::eval
