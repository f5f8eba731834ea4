// The most similar pairs among n vectors.
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
  int64_t top_k = 100;         // each row's nearest others
  int64_t max_pairs = 500000;  // and of all these pairs, the most similar ones
  double min_score = -1e9;     // and of these, the ones that reach it
  const Cancel* cancel = nullptr;
};

// Exact search among rows, each pair once, the most similar first (then by rows). x: [n, d]. Memory
// beside x and the result: below 300 MB and 150 bytes for each of max_pairs, whatever n is. kLimit
// above 2^32 rows.
std::vector<SimilarPair> most_similar_pairs(const float* x, int64_t n, int64_t d,
                                            const SimilarPairOptions& options);

}  // namespace contrastive::eval
