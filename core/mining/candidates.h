// The documents that are nearest to each of a block of queries, exactly, among any number of
// documents: these pass by in blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/cancel.h"
#include "core/mining/vector_table.h"
#include "core/retrieval/similarity.h"

namespace contrastive::mining {

struct Candidates {
  int64_t per_query = 0;
  std::vector<int64_t> documents;  // [queries, per_query] best first, the lower number first among
                                   // equal scores; -1 where there are no more
  std::vector<float> scores;       // [queries, per_query]; -infinity beside -1
};

// How many queries a block may have, so that candidates take little memory.
int64_t queries_at_once(int64_t per_query, int64_t dimension);

// queries: [n, documents.dimension()]. Memory beside the arguments: below 400 MB for any number of
// documents, while n is queries_at_once.
Candidates find_candidates(const float* queries, int64_t n, const VectorTable& documents,
                           int64_t per_query, retrieval::Metric metric, const Cancel* cancel);

}  // namespace contrastive::mining
