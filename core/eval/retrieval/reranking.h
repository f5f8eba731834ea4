// Reranking: how well scores order the candidate documents of a query, some of which are right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/json.h"
#include "core/eval/retrieval/retrieval_metrics.h"
#include "core/eval/text_encoder.h"
#include "core/model/token_packing.h"
#include "core/retrieval/similarity.h"

namespace contrastive::eval {

struct CandidateList {
  std::string query;
  std::vector<std::string> documents;  // each once
  std::vector<bool> right;             // of each document; at least one is right and one wrong
};

// Reads queries with right and wrong documents: JSON lines as cs_mine writes them, or a TSV whose
// columns are query, right document, wrong documents, or query, document, label, or named in its
// header. Lines of the same query are one list. Queries without both a right and a wrong document
// are left out. Sorted by query. Errors of data::open_dataset; kFormat if no query is left.
std::vector<CandidateList> read_candidate_lists(const std::string& path);

// All pairs of a query and one of its documents, list by list. The views point into `lists`.
std::vector<model::TextPair> candidate_pairs(const std::vector<CandidateList>& lists);

// The similarity of each of these pairs. `cancel` is polled between parts.
std::vector<float> candidate_similarities(const std::vector<CandidateList>& lists,
                                          const TextEncoder& query_encoder,
                                          const TextEncoder& document_encoder,
                                          retrieval::Metric metric, const Cancel* cancel);

struct RerankingReport {
  int64_t queries = 0;
  int64_t documents = 0;  // candidates of all queries
  double map = 0;         // mean average precision over all candidates
  std::vector<MetricsAtK> at;
  // {"queries", "documents", "map", "accuracy@1", "mrr@1", "ndcg@1", "accuracy@5", ...}
  Json to_json() const;
};

// `scores`: one for each of candidate_pairs(). Ties count against right documents, so that a model
// that scores all documents equally does not look good.
RerankingReport evaluate_reranking(const std::vector<CandidateList>& lists,
                                   const std::vector<float>& scores,
                                   const std::vector<int64_t>& ks);

}  // namespace contrastive::eval
