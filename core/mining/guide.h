// A second opinion on candidates: whoever scores a query with a document. A second encoder is one
// (encoder_guide.h); a reranker, which reads both texts together, is another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/mining/text_table.h"

namespace contrastive::mining {

// Documents whose scores with one query are wanted.
struct GuideQuestion {
  int64_t query;
  std::vector<int64_t> documents;
  float* scores;  // [documents], to be written: the larger, the more the document is an answer
};

class Guide {
 public:
  virtual ~Guide() = default;
  // Answers some thousand questions. The tables hold the texts, by the numbers of the questions;
  // they are the same in every call.
  virtual void score(const TextTable& queries, const TextTable& documents,
                     const std::vector<GuideQuestion>& questions, const Cancel* cancel) = 0;
};

}  // namespace contrastive::mining
