#include "core/eval/retrieval/retrieval.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/eval/finite.h"
#include "core/retrieval/top_k.h"

namespace contrastive::eval {
namespace {

// The best hits of each query in a corpus that is searched part by part.
class BestHits {
 public:
  BestHits(int64_t queries, int64_t k)
      : lists_(static_cast<size_t>(queries)), k_(static_cast<size_t>(k)) {}

  // Adds the hits of the next part, which begins with row `first`: [queries, found], as top_k()
  // gives them.
  void add(const std::vector<int64_t>& indices, const std::vector<float>& scores, int64_t found,
           int64_t first) {
    const auto better = [](const Hit& a, const Hit& b) {
      return a.score > b.score;
    };  // merge keeps the earlier part's hit first among equals
    for (size_t query = 0; query < lists_.size(); ++query) {
      std::vector<Hit> part;
      for (int64_t i = static_cast<int64_t>(query) * found;
           i < static_cast<int64_t>(query + 1) * found && indices[i] >= 0; ++i) {
        part.push_back({scores[i], first + indices[i]});
      }
      std::vector<Hit> both(lists_[query].size() + part.size());
      std::merge(lists_[query].begin(), lists_[query].end(), part.begin(), part.end(), both.begin(),
                 better);
      both.resize(std::min(both.size(), k_));
      lists_[query] = std::move(both);
    }
  }
  std::vector<int64_t> rows(int64_t query) const {
    std::vector<int64_t> rows;
    for (const Hit& hit : lists_[static_cast<size_t>(query)]) rows.push_back(hit.row);
    return rows;
  }

 private:
  struct Hit {
    float score;
    int64_t row;
  };
  std::vector<std::vector<Hit>> lists_;  // the best first
  size_t k_;
};

}  // namespace

RetrievalReport evaluate_retrieval(const RetrievalData& data, const TextEncoder& query_encoder,
                                   const TextEncoder& document_encoder, retrieval::Metric metric,
                                   const std::vector<int64_t>& ks, const Cancel* cancel,
                                   int64_t most_bytes) {
  check(!data.queries.empty() && !data.documents.empty() && !ks.empty(), Status::kArgument,
        "retrieval needs queries, documents and a list of k");
  check(query_encoder.dimension == document_encoder.dimension, Status::kMismatch, "queries have ",
        query_encoder.dimension, " dimensions, documents ", document_encoder.dimension);
  DistinctTexts queries;
  std::vector<int64_t> query_rows;  // of each query among the distinct ones
  for (const std::string& text : data.queries) query_rows.push_back(queries.add(text));
  const std::vector<float> query_vectors = queries.encode(query_encoder);
  check_finite(query_vectors.data(), queries.size(), query_encoder.dimension, "distinct query");

  // One more if a hit may be left out.
  const int64_t wanted = *std::max_element(ks.begin(), ks.end()) + (data.ignored.empty() ? 0 : 1);
  const int64_t d = document_encoder.dimension, n = static_cast<int64_t>(data.documents.size());
  const int64_t part =
      std::clamp<int64_t>(most_bytes / (static_cast<int64_t>(sizeof(float)) * d), 1, n);
  BestHits best(queries.size(), wanted);
  std::vector<float> vectors(static_cast<size_t>(part * d)), scores;
  std::vector<int64_t> indices;
  for (int64_t first = 0; first < n; first += part) {
    const int64_t count = std::min(part, n - first);
    document_encoder.encode({data.documents.begin() + first,
                             data.documents.begin() + first + count},
                            vectors.data());
    check_finite(vectors.data(), count, d, "document", first + 1);
    retrieval::TopKOptions options{metric, std::min(wanted, count)};
    options.cancel = cancel;
    indices.resize(static_cast<size_t>(queries.size() * options.k));
    scores.resize(indices.size());
    retrieval::top_k(query_vectors.data(), queries.size(), vectors.data(), count, d, options,
                     indices.data(), scores.data());
    best.add(indices, scores, options.k, first);
  }
  std::vector<std::vector<int64_t>> ranked;
  for (size_t i = 0; i < query_rows.size(); ++i) {
    auto& list = ranked.emplace_back(best.rows(query_rows[i]));
    if (!data.ignored.empty() && data.ignored[i] >= 0)
      list.erase(std::remove(list.begin(), list.end(), data.ignored[i]), list.end());
  }
  return {static_cast<int64_t>(data.queries.size()), static_cast<int64_t>(data.documents.size()),
          retrieval_metrics(ranked, data.judged, ks)};
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
