// Exact search: the k most similar rows of a corpus for each query, without a matrix of all scores.
#pragma once

#include <cstdint>

#include "core/base/cancel.h"
#include "core/retrieval/similarity.h"

namespace contrastive::retrieval {

struct TopKOptions {
  Metric metric = Metric::kCosine;
  int64_t k = 10;
  bool exclude_same_index = false;  // query i never finds row i: for mining a set in itself
  const Cancel* cancel = nullptr;   // polled every few thousand rows
};

// queries: [n_queries, d], corpus: [n_corpus, d]; indices and scores: [n_queries, k], best first,
// and the lower index first among equal scores. If fewer than k rows can be found, the rest has
// index -1 and score -infinity. kNumeric names the first NaN or infinity of the input; indices and
// scores are undefined then. The scores equal those of similarity(), bit by bit, and do not depend
// on the thread count or on the other queries. Memory besides the arguments: below 200 MB for any
// number of queries and rows if k is below 10,000.
void top_k(const float* queries, int64_t n_queries, const float* corpus, int64_t n_corpus,
           int64_t d, const TopKOptions& options, int64_t* indices, float* scores);

}  // namespace contrastive::retrieval
