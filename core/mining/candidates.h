// Finds the documents nearest to each query of a block, exactly, among any number of documents,
// which are read block by block.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/cancel.h"
#include "core/mining/vector_table.h"
#include "core/retrieval/similarity.h"

namespace contrastive::mining {

struct Candidates {
  int64_t per_query = 0;
  // [queries, per_query] best first, the lower number first among equal scores; -1 if there are no
  // more.
  std::vector<int64_t> documents;
  std::vector<float> scores;  // [queries, per_query]; -infinity where the document is -1
};

// How many queries a block may have, so that candidates need little memory.
int64_t queries_at_once(int64_t per_query, int64_t dimension);

// queries: [n, documents.dimension()]. Memory besides the arguments: below 400 MB for any number of
// documents, if n is at most queries_at_once.
Candidates find_candidates(const float* queries, int64_t n, const VectorTable& documents,
                           int64_t per_query, retrieval::Metric metric, const Cancel* cancel);

}  // namespace contrastive::mining
