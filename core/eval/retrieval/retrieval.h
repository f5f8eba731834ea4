// Retrieval: how well a model's search finds the documents that belong to a query.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/json.h"
#include "core/eval/retrieval/retrieval_files.h"
#include "core/eval/retrieval/retrieval_metrics.h"
#include "core/eval/text_encoder.h"
#include "core/retrieval/similarity.h"

namespace contrastive::eval {

struct RetrievalReport {
  int64_t queries = 0;
  int64_t documents = 0;
  std::vector<MetricsAtK> at;
  // {"queries", "documents", "accuracy@1", "precision@1", "recall@1", "mrr@1", "ndcg@1", "map@1",
  // "accuracy@10", ...}
  Json to_json() const;
};

// Searches all documents for each query, exactly. `query_encoder` and `document_encoder` differ for
// models with different prompts. Documents are encoded part by part, so that their vectors never
// take more than `most_bytes`; the result does not depend on the parts.
RetrievalReport evaluate_retrieval(const RetrievalData& data, const TextEncoder& query_encoder,
                                   const TextEncoder& document_encoder, retrieval::Metric metric,
                                   const std::vector<int64_t>& ks, const Cancel* cancel = nullptr,
                                   int64_t most_bytes = int64_t{1} << 30);

}  // namespace contrastive::eval
