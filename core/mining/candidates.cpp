#include "core/mining/candidates.h"

#include <algorithm>
#include <limits>

#include "core/base/checked.h"
#include "core/retrieval/top_k.h"

namespace contrastive::mining {
namespace {

constexpr int64_t kListBytes = int64_t{32} << 20;   // of the candidates of a block of queries
constexpr int64_t kQueryBytes = int64_t{32} << 20;  // and of their vectors
constexpr int64_t kBlockBytes = int64_t{64}
                                << 20;  // of the documents' vectors that are looked at together
constexpr float kNone = -std::numeric_limits<float>::infinity();

// Merges `found`, of documents that all have higher numbers, into `best`: both sorted, both of the
// same width.
void merge(int64_t* best, float* best_scores, const int64_t* found, const float* found_scores,
           int64_t width, int64_t first_document, std::vector<int64_t>& documents,
           std::vector<float>& scores) {
  documents.clear();
  scores.clear();
  for (int64_t i = 0, j = 0; static_cast<int64_t>(documents.size()) < width;) {
    const bool old = j >= width || found[j] < 0 ||
                     (i < width && best[i] >= 0 && best_scores[i] >= found_scores[j]);
    if (old) {
      documents.push_back(best[i]);
      scores.push_back(best_scores[i++]);
    } else {
      documents.push_back(found[j] + first_document);
      scores.push_back(found_scores[j++]);
    }
  }
  std::copy(documents.begin(), documents.end(), best);
  std::copy(scores.begin(), scores.end(), best_scores);
}

}  // namespace

int64_t queries_at_once(int64_t per_query, int64_t dimension) {
  const int64_t entry = static_cast<int64_t>(sizeof(int64_t) + sizeof(float));
  const int64_t by_lists = kListBytes / (per_query * entry),
                by_vectors = kQueryBytes / (dimension * static_cast<int64_t>(sizeof(float)));
  return std::max<int64_t>(1, std::min(by_lists, by_vectors));
}

Candidates find_candidates(const float* queries, int64_t n, const VectorTable& documents,
                           int64_t per_query, retrieval::Metric metric, const Cancel* cancel) {
  Candidates best;
  best.per_query = std::min(per_query, documents.size());
  const int64_t d = documents.dimension(), width = best.per_query;
  const auto entries = static_cast<size_t>((Size(n, "candidates") * width).value());
  best.documents.assign(entries, -1);
  best.scores.assign(entries, kNone);
  std::vector<int64_t> found(entries);
  std::vector<float> found_scores(entries);
  const int64_t block =
      std::max<int64_t>(1, kBlockBytes / (d * static_cast<int64_t>(sizeof(float))));
  std::vector<float> vectors(static_cast<size_t>(std::min(block, documents.size()) * d));
  const retrieval::TopKOptions search{metric, width, false, cancel};
  std::vector<int64_t> row;
  std::vector<float> row_scores;
  for (int64_t first = 0; first < documents.size(); first += block) {
    const int64_t count = std::min(block, documents.size() - first);
    documents.copy(first, count, vectors.data());
    retrieval::top_k(queries, n, vectors.data(), count, d, search, found.data(),
                     found_scores.data());
    for (int64_t i = 0; i < n; ++i) {
      merge(&best.documents[static_cast<size_t>(i * width)],
            &best.scores[static_cast<size_t>(i * width)], &found[static_cast<size_t>(i * width)],
            &found_scores[static_cast<size_t>(i * width)], width, first, row, row_scores);
    }
  }
  return best;
}

}  // namespace contrastive::mining
