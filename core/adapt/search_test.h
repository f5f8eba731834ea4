// The held-out test: its queries search all documents, and the figures are kept for each query.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/adapt/pair_set.h"
#include "core/base/cancel.h"
#include "core/base/json.h"
#include "core/data/dataset.h"
#include "core/mining/mining_encoder.h"
#include "core/mining/text_table.h"
#include "core/retrieval/similarity.h"

namespace contrastive::adapt {

constexpr std::array<const char*, 4> kSearchMetrics = {"ndcg@10", "mrr@10", "recall@1",
                                                       "recall@10"};
constexpr int64_t kDeepestRank = 100;  // of an answer that is looked for

// The results of one model.
struct SearchFigures {
  std::array<std::vector<double>, kSearchMetrics.size()>
      values;                   // [metrics][queries], in the order of kSearchMetrics
  std::vector<int64_t> ranks;   // [queries] rank of the first answer, from 1; 0 beyond kDeepestRank
  std::vector<int64_t> firsts;  // [queries] the document with rank 1

  double mean(size_t metric) const;
  Json to_json() const;
  static SearchFigures from_json(const Json& json, const std::string& source);
};

class SearchTest {
 public:
  // The documents are the texts of `corpus` (nullable) and all `positives`. All must outlive this.
  SearchTest(const std::vector<AdaptPair>& test, const data::Dataset* corpus,
             const std::vector<std::string>& positives, const Cancel* cancel);
  SearchTest(const SearchTest&) = delete;
  SearchTest& operator=(const SearchTest&) = delete;

  // The vectors are stored in `folder`; existing ones are not computed again.
  SearchFigures run(const mining::MiningEncoder& encoder, const std::string& folder,
                    retrieval::Metric similarity, const Cancel* cancel) const;

  int64_t queries() const { return queries_.size(); }
  int64_t documents() const { return documents_.size(); }
  std::string query(int64_t number) const { return queries_.text(number); }
  std::string document(int64_t number) const { return documents_.text(number); }
  const std::vector<int64_t>& answers(int64_t query) const {
    return answers_[static_cast<size_t>(query)];
  }

 private:
  mining::TextTable queries_, documents_;
  std::vector<std::vector<int64_t>> answers_;  // [queries] documents
};

}  // namespace contrastive::adapt
