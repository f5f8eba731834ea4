// Ranking metrics: accuracy, precision, recall, MRR, nDCG and MAP at k, from ranked ids and
// judgements.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace contrastive::eval {

// The relevant documents of one query and their grades, above 0.
using Judgements = std::unordered_map<int64_t, double>;

// The metrics at one k. R is the number of relevant documents of a query; ranks count from 1.
struct MetricsAtK {
  int64_t k = 0;
  double accuracy = 0;   // 1 if there is a relevant document among the first k
  double precision = 0;  // relevant ones among the first k / k
  double recall = 0;     // relevant ones among the first k / R
  double mrr = 0;        // 1 / rank of the first relevant one, 0 beyond k
  double ndcg =
      0;  // sum of grade / log2(rank + 1), divided by the largest sum that k documents could reach
  double map = 0;  // sum over relevant ones among the first k of the precision at their rank,
                   // divided by min(k, R)
};
// As in sentence-transformers' InformationRetrievalEvaluator. trec_eval (and so BEIR) differs in
// one point: its MAP divides by R.

// The metrics of one query that has a relevant document. ranked: document ids, best first, each
// once (negative ids are padding).
MetricsAtK retrieval_metrics_of(const std::vector<int64_t>& ranked, const Judgements& judged,
                                int64_t k);

// Means over the queries, for each of `ks`. ranked[i]: document ids of query i, best first, each
// once (negative ids are padding); judged[i]: its judgements. Queries without a relevant document
// are left out; kArgument if none is left.
std::vector<MetricsAtK> retrieval_metrics(const std::vector<std::vector<int64_t>>& ranked,
                                          const std::vector<Judgements>& judged,
                                          const std::vector<int64_t>& ks);

}  // namespace contrastive::eval
