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
    MetricsAtK sum;
    double queries = 0;
    for (size_t i = 0; i < ranked.size(); ++i) {
      if (judged[i].empty()) continue;
      const MetricsAtK one = of_one_query(ranked[i], judged[i], k);
      sum.recall += one.recall;
      sum.mrr += one.mrr;
      sum.ndcg += one.ndcg;
      sum.map += one.map;
      queries += 1;
    }
    check(queries > 0, Status::kArgument, "no query has a relevant document");
    results.push_back({k, sum.recall / queries, sum.mrr / queries, sum.ndcg / queries, sum.map / queries});
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

  retrieval::TopKOptions options{metric, std::min(*std::max_element(ks.begin(), ks.end()), static_cast<int64_t>(data.documents.size()))};
  options.cancel = cancel;
  std::vector<int64_t> indices(queries.size() * options.k);
  std::vector<float> scores(indices.size());
  retrieval::top_k(query_vectors.data(), queries.size(), corpus.data(), static_cast<int64_t>(data.documents.size()), document_encoder.dimension,
                   options, indices.data(), scores.data());
  std::vector<std::vector<int64_t>> ranked;
  for (int64_t row : query_rows) ranked.emplace_back(indices.begin() + row * options.k, indices.begin() + (row + 1) * options.k);
  return {static_cast<int64_t>(data.queries.size()), static_cast<int64_t>(data.documents.size()), retrieval_metrics(ranked, data.judged, ks)};
}

Json RetrievalReport::to_json() const {
  Json json = {{"queries", queries}, {"documents", documents}};
  for (const MetricsAtK& metrics : at) {
    const std::string suffix = cat("@", metrics.k);
    json["recall" + suffix] = metrics.recall;
    json["mrr" + suffix] = metrics.mrr;
    json["ndcg" + suffix] = metrics.ndcg;
    json["map" + suffix] = metrics.map;
  }
  return json;
}

}  // namespace contrastive::eval
