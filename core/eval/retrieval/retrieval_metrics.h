// How well a search finds what is relevant: accuracy, precision, recall, MRR, nDCG and MAP at k,
// over ranked ids and judgements.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace contrastive::eval {

// The relevant documents of one query and their grades, above 0.
using Judgements = std::unordered_map<int64_t, double>;

// At one k. With R relevant documents of a query, and ranks counted from 1:
struct MetricsAtK {
  int64_t k = 0;
  double accuracy = 0;   // 1 where there is a relevant one among the first k
  double precision = 0;  // relevant ones among the first k / k
  double recall = 0;     // relevant ones among the first k / R
  double mrr = 0;        // 1 / rank of the first relevant one, 0 beyond k
  double ndcg =
      0;  // sum of grade / log2(rank + 1), divided by the largest sum that k documents could reach
  double map = 0;  // sum over relevant ones among the first k of the precision at their rank,
                   // divided by min(k, R)
};
// As sentence-transformers' InformationRetrievalEvaluator has them. trec_eval (and so BEIR) differs
// in one: its MAP divides by R.

// Of one query that has a relevant document. ranked: document ids, best first, each once (negative
// ids fill up).
MetricsAtK retrieval_metrics_of(const std::vector<int64_t>& ranked, const Judgements& judged,
                                int64_t k);

// Means over the queries, for each of `ks`. ranked[i]: document ids of query i, best first, each
// once (negative ids fill up); judged[i]: its judgements. Queries without a relevant document are
// left out; kArgument where none is left.
std::vector<MetricsAtK> retrieval_metrics(const std::vector<std::vector<int64_t>>& ranked,
                                          const std::vector<Judgements>& judged,
                                          const std::vector<int64_t>& ks);

}  // namespace contrastive::eval
