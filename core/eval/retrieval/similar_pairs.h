// Finds the most similar pairs among n vectors.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/cancel.h"
#include "core/retrieval/similarity.h"

namespace contrastive::eval {

struct SimilarPair {
  int64_t first = 0, second = 0;  // rows, first < second
  float score = 0;
};

struct SimilarPairOptions {
  retrieval::Metric metric = retrieval::Metric::kCosine;
  int64_t top_k = 100;         // nearest other rows for each row
  int64_t max_pairs = 500000;  // of these pairs, the most similar ones
  double min_score = -1e9;     // of these, the ones with at least this score
  const Cancel* cancel = nullptr;
};

// Exact search among rows, each pair once, the most similar first (then by rows). x: [n, d]. Memory
// besides x and the result: below 300 MB and 150 bytes for each of max_pairs, for any n. kLimit
// above 2^32 rows.
std::vector<SimilarPair> most_similar_pairs(const float* x, int64_t n, int64_t d,
                                            const SimilarPairOptions& options);

}  // namespace contrastive::eval
